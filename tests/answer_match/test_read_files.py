"""SQuAD files, answers by id, lists and tables: what is read as what, cells of text tables, and the wrong file."""

import json
import warnings

import pyarrow as pa
import pytest
from pyarrow import parquet

import qassay
from qassay.cli import main
from qassay.files import FileError, read_gold, read_predictions

QUESTIONS = [
    {
        "id": "q1",
        "question": "Where?",
        "answers": [{"text": "Paris", "answer_start": 0}, {"text": "in Paris", "answer_start": 0}],
    },
    {"id": "q2", "question": "Who?", "answers": [], "is_impossible": True, "level": 3},
]


def squad(questions, **fields):
    paragraphs = [{"context": "Paris.", "qas": questions}]
    return {"version": "v2.0", "data": [{"title": "T", "paragraphs": paragraphs}], **fields}


def scored(gold, system=None, names=None, **options):
    read = read_gold(gold, names).with_options(options)
    predictions = read_predictions(gold if system is None else system, read, names)
    return qassay.score("answer_match", **read.columns, **predictions.columns, **read.options)


# --- SQuAD, answers by id, lists --------------------------------------------------------------------------------------


def test_a_gold_file_of_squad(save):
    gold = read_gold(save("g.json", squad(QUESTIONS)))
    assert (gold.kind, gold.ids, gold.options) == ("squad", ["q1", "q2"], {})
    assert gold.details == {
        "title": ["T", "T"],
        "context": ["Paris.", "Paris."],
        "question": ["Where?", "Who?"],
        "is_impossible": [None, True],
        "level": [None, 3],
    }


@pytest.mark.parametrize(
    "predictions, options, expected",
    [
        ({"q2": "", "q1": "in Paris!"}, {}, {"exact_match": 1.0}),
        ([{"id": "q2", "prediction_text": "x"}, {"id": "q1", "prediction_text": "Paris"}], {}, {"exact_match": 0.5}),
        (["Lyon", ""], {}, {"exact_match": 0.5}),
        ({"id": ["q1", "q2"], "prediction": ["Lyon", "Rome"]}, {}, {"exact_match": 0.0}),
        (
            {"q1": [{"text": "Lyon", "probability": 0.9}, {"text": "Paris"}], "q2": [""]},
            {"top_k": (1, 2)},
            {"exact_match@1": 0.5, "exact_match@2": 1.0},
        ),
    ],
)
def test_every_form_of_predictions(save, predictions, options, expected):
    scores = scored(save("g.json", squad(QUESTIONS)), save("p.json", predictions), **options)
    assert scores.summary(list(expected)) == expected


def test_version_1_is_scored_by_its_own_script(save):
    questions = [{"id": "q1", "question": "?", "answers": [{"text": "the", "answer_start": 0}]}]
    scores = scored(save("g.json", squad(questions, version="1.1")), save("p.json", {"q1": "a"}))
    assert scores.summary(["exact_match", "f1"]) == {"exact_match": 1.0, "f1": 0.0}
    assert read_gold(save("g.json", squad(QUESTIONS, version="1.1"))).options == {}, "one has no answer"


@pytest.mark.parametrize("rules", "jsquad cmrc2018 fquad mkqa:ja docvqa quac coqa squad_v2 squad".split())
def test_a_preset_keeps_its_rules_in_every_version(save, rules):
    answers = {"d_q#0": [{"text": "東京。", "answer_start": 0}], "d_q#1": [{"text": "。", "answer_start": 0}]}
    questions = [{"id": name, "question": "?", "answers": golds} for name, golds in answers.items()]
    system = save("p.json", {"d_q#0": "東京", "d_q#1": "。"})
    files = [save(f"{version}.json", squad(questions, version=version)) for version in ("1.1", "v1.0", 1, "2.0")]
    first, *others = (qassay.score_files(file, system, preset=rules)["p"] for file in files)
    assert all((other.summary(), other.signature()) == (first.summary(), first.signature()) for other in others)
    assert rules != "jsquad" or first["f1"] == 1.0, "two texts without a character are equal in its script"


def test_gold_as_lists_by_id_and_without_ids(save):
    by_id = save("g.json", {"q1": ["Paris"], "q2": []})
    assert scored(by_id, save("p.json", {"q1": "Paris", "q2": ""}))["f1"] == 1.0
    gold = save("g.json", ["Paris", ["Rome", "Roma"]])
    assert scored(gold, save("p.json", ["Paris", "Roma"]))["f1"] == 1.0
    with pytest.raises(FileError, match="g.json has no ids"):
        scored(gold, save("p.json", {"q1": "Paris"}))


def test_duplicate_ids_are_not_lost(save):
    gold = save("g.json", squad(QUESTIONS))
    system = save(
        "p.json", [{"id": name, "prediction": text} for name, text in (("q1", "Paris"), ("q1", "Lyon"), ("q2", ""))]
    )
    with pytest.raises(ValueError, match="repeats the id 'q1'"):
        scored(gold, system)
    first, last = (scored(gold, system, duplicates=which) for which in ("first", "last"))
    assert (first["exact_match"], last["exact_match"], first.notes["duplicates"]) == (1.0, 0.5, 1)


def test_no_answer_probabilities(save):
    gold, model = save("g.json", {"7": ["a"]}), save("p.json", {"7": "a"})
    for name, value in (("n.json", {"7": 0.25}), ("n.csv", "id,na_prob\n7,0.25\n")):
        scores = qassay.score_files(gold, model, no_answer_probabilities=[save(name, value)])["p"]
        assert scores.columns["no_answer_probability"].tolist() == [0.25]
    for value, named in (({"7": "a"}, "no probabilities"), ('{"7": 0.5, "7": 0.6}', "'7'"), ({"8": 1}, "the id '7'")):
        with pytest.raises(FileError, match=f"n.json: .*{named}"):
            qassay.score_files(gold, model, no_answer_probabilities=[save("n.json", value)])


@pytest.mark.parametrize(
    "value, named, system, of_system",
    [
        ({"q1": "Paris"}, r"predictions \({id: text}\)", squad(QUESTIONS), "SQuAD gold file"),
        ([{"id": 1, "body": "x"}], '"references": "NAME"', [{"id": 1, "body": "x"}], '"predictions": "NAME"'),
        (squad([{"id": "q1"}]), "SQuAD gold file, but a part of it lacks 'answers'", {"q1": 0.5}, "no_answer_prob"),
        (squad([*QUESTIONS, {"id": "q3"}]), r"but data\[0\]\['paragraphs'\]\[0\]\['qas'\]\[2\] lacks 'answers'", {}, "empty"),
        (squad(["q1"]), "SQuAD gold file, but a part of it has another form", "{", "not valid JSON"),
    ],
)  # fmt: skip
def test_files_that_are_neither_gold_nor_predictions(save, value, named, system, of_system):
    with pytest.raises(FileError, match=rf"g\.json: .*{named}"):
        read_gold(save("g.json", value))
    with pytest.raises(FileError, match=rf"p\.json: .*{of_system}"):
        scored(save("g.json", squad(QUESTIONS)), save("p.json", system))


# --- tables -----------------------------------------------------------------------------------------------------------


def test_cells_of_csv(save):
    path = save("t.csv", 'qid,output,answers,topic\n1,Paris,Paris,geo\n2,,,geo\n3,b,"[""a"", ""b""]",x\n4,,"[]",x\n')
    gold, scores = read_gold(path), scored(path)
    assert gold.details == {"topic": ["geo", "geo", "x", "x"]}
    assert gold.given == {"output": ["Paris", "", "b", ""]}, "what a system gave is not a detail of an example"
    assert scores.ids == ["1", "2", "3", "4"] and scores["exact_match"] == 1.0
    path = save("t.csv", 'id,prediction,reference\n1,"[""x"", ""Paris""]",Paris\n2,Rome,Rome\n')
    assert scored(path, top_k=(2,))["exact_match@2"] == 1.0
    plain = read_predictions(path, read_gold(path)).columns["predictions"]
    assert plain[0]["prediction_text"] == '["x", "Paris"]', "without top_k it is the text that was predicted"


@pytest.mark.parametrize(
    ("gold", "prediction", "options"),
    [
        ('{"text": ["a", "b"]}', "b", {}),
        ('{"number": "3", "spans": []}', "3", {"preset": "drop"}),
        ("a", '{"answer": "a"}', {"extract": "json:answer"}),  # the prediction is what the model wrote
        *((text, text, {}) for text in ("{x: x > 1}", "(A)", "(The Who)", "('tis the season)", "array(3)")),
    ],
)
def test_objects_in_cells_of_text_are_what_they_are_in_json(save, gold, prediction, options):
    row = {"id": "1", "prediction": prediction, "gold": gold}
    quoted = ['"' + cell.replace('"', '""') + '"' for cell in row.values()]
    files = {"t.csv": (",".join(row), ",".join(quoted)), "t.tsv": ("\t".join(row), "\t".join(quoted))}
    for name, lines in {**files, "t.jsonl": (json.dumps(row), "")}.items():
        assert scored(save(name, "\n".join(lines)), **options)["exact_match"] == 1.0
    path = save("t.csv", 'id,output,target\n1,"{""city"": ""b""}","{""city"": ""a""}"\n')
    for metric in ("answer_match", "answer_equivalence"):
        with pytest.raises(
            FileError,
            match=r"t.csv: column target: references\[0\] \(id '1'\) has the keys city, .* such a list as 'text'",
        ):
            qassay.score_files(path, metric=metric)


EMPTY = [
    ("t.csv", 'id,prediction,gold\na,Paris,Paris\nb,,\nc,x,"  "\nd,,[]\n'),
    ("t.tsv", "id\tprediction\tgold\na\tParis\tParis\nb\t\t\nc\tx\t\nd\t\t[]\n"),
    ("t.jsonl", [{"id": i, "prediction": p, "gold": g} for i, p, g in ("aPP", ("b", "", " "), "cx ", ("d", "", []))]),
]


@pytest.mark.parametrize(("name", "content"), EMPTY, ids=["csv", "tsv", "jsonl"])
def test_empty_gold_cells_are_questions_without_an_answer_and_counted(save, name, content):
    with pytest.warns(UserWarning, match="2 gold answers are empty, first references.1. .id 'b'.: read as"):
        scores = qassay.score_files(save(name, content))["t"]
    assert scores.columns["exact_match"].tolist() == scores.columns["f1"].tolist() == [1, 1, 0, 1]
    assert scores["no_answer_total"] == 3


def test_empty_gold_cells_of_frames_and_of_several_columns_are_remarked_and_lists_are_not(save, capsys):
    with pytest.warns(UserWarning, match="the table: 2 gold answers are empty, first references.1.: "):
        qassay.score("answer_match", pa.table({"prediction": ["Paris", "", "x"], "gold": ["Paris", "", None]}))
    path = str(save("t.csv", "prediction,g,h\nParis,,Paris\nx,[],\n,,\n"))
    assert main(["score", path, "--columns", "references=g", "references=h", "--no-intervals"]) == 0
    assert "t.csv: 1 gold answer is empty, first references[2]: read as" in capsys.readouterr().err
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert qassay.score_files(save("t.csv", "prediction,gold\nParis,Paris\n,[]\n"))["t"]["f1"] == 1.0


def test_parquet_with_lists_and_hugging_face_answers(tmp_path):
    table = {
        "id": [10, 11],
        "prediction": ["x", ""],
        "answers": [{"text": ["x"], "answer_start": [0]}, {"text": [], "answer_start": []}],
        "na_prob": [0.1, 0.9],
    }
    parquet.write_table(pa.table(table), tmp_path / "t.parquet")
    scores = scored(tmp_path / "t.parquet")
    assert scores.ids == [10, 11]
    assert scores.summary(["exact_match", "best_f1"]) == {"exact_match": 1.0, "best_f1": 1.0}


def test_a_null_prediction_is_missing_and_an_empty_one_counts(save):
    first = '{"id": "a", "prediction": "", "gold": ["x"]}\n'
    path = save("t.jsonl", first + '{"id": "b", "prediction": null, "gold": ["x"]}\n')
    assert scored(path).summary(["total", "missing"]) == {"total": 2, "missing": 1}
    path = save("t.jsonl", first + '{"id": "b", "prediction": "x", "gold": ["x"]}\n')
    assert scored(path).summary(["exact_match", "missing"]) == {"exact_match": 0.5, "missing": 0}


def test_answer_is_gold_in_a_gold_file_and_a_prediction_in_the_other(save):
    gold = save("g.jsonl", '{"id": 1, "answer": "Paris"}\n{"id": 2, "answer": ""}\n')
    scores = scored(gold, save("p.csv", "id,answer\n2,\n1,Paris\n"))
    assert scores.summary(["exact_match", "total"]) == {"exact_match": 1.0, "total": 2}
    assert scores.ids == [1, 2], "the ids of the text table became the numbers of the gold file"
    assert scored(save("both.csv", "id,answer,reference\n1,Paris,Paris\n"))["exact_match"] == 1.0


def test_given_names(save):
    path = save("t.csv", "key,mine,theirs,w,q\nk1,Paris,Paris,3,Where?\nk2,x,y,1,Who?\n")
    names = {"predictions": "mine", "references": "theirs", "ids": "key", "weights": "w", "questions": "q"}
    gold, scores = read_gold(path, names), scored(path, names=names)
    assert (gold.details, gold.given) == ({"question": ["Where?", "Who?"]}, {"mine": ["Paris", "x"]})
    assert scores.ids == ["k1", "k2"] and scores["exact_match"] == 0.75
    # the gold file's name for ids need not be that of the predictions
    assert scored(path, save("p.csv", "id,mine\nk2,y\nk1,z\n"), names)["exact_match"] == 0.25
    with pytest.raises(FileError, match="p.csv: there is no column 'mine'"):
        scored(path, save("p.csv", "id,prediction\nk2,y\nk1,z\n"), names)
    squad_path = save("g.json", squad(QUESTIONS))
    with pytest.raises(FileError, match="g.json.*columns"):
        read_gold(squad_path, {"references": "gold"})


@pytest.mark.parametrize(
    "text, names, named",
    [
        ("id,guess,gold\n1,a,b\n", {"predictions": "gues"}, "'gues'.*'guess'.*id, guess, gold"),
        ("id,prediction,output,gold\n1,a,b,c\n", {}, "prediction or output"),
        ("id,prediction,gold\n1,a,[b\n", {}, r"row 0: '\[b'"),
        ("id,prediction,gold,weight\n1,a,b,heavy\n", {}, "row 0: 'heavy' in the column weight"),
        (" " * 200_000 + "x\n", {}, "first line"),
    ],
    ids=range(5),
)
def test_bad_tables(save, usual_csv_limit, text, names, named):
    with pytest.raises(FileError, match=rf"t\.csv: .*{named}"):
        scored(save("t.csv", text), names=names)


def test_lists_as_python_writes_them(save):
    path = save("t.csv", "id,prediction,gold\n1,x,\"('y', 'x')\"\n2,z,\"['z']\"\n")
    assert scored(path)["exact_match"] == 1
    with pytest.raises(FileError, match=r"has the keys value"):
        qassay.score_files(save("t.csv", "id,prediction,gold\n1,a,{'value': 'a'}\n"))


ASKED = "question,gold\nWho?,Ann\nWhere?,Rome\n"


@pytest.mark.parametrize(
    ("gold", "predictions"),
    [
        (ASKED, "question,prediction\nWhere?,Rome\n Who? ,Ann\n"),  # by order
        ("id,question,gold\n1,Who?,Ann\n2,Where?,Rome\n", "id,query,output\n1,Where?,Rome\n2,Who?,Ann\n"),  # by id
    ],
)
def test_an_answer_to_the_question_of_another_row_is_refused(save, gold, predictions):
    with pytest.raises(FileError, match=r"row 0 .*'Where\?'.* row 1 of .*gold.csv"):
        scored(save("gold.csv", gold), save("model.csv", predictions))


@pytest.mark.parametrize("asked", ["Q: Who?,Q: Where?", "who?,", "Who?,Who?"])
def test_the_same_questions_in_other_words_or_none_are_not_refused(save, asked):
    first, second = asked.split(",")
    twice = second == "Who?"  # a question that the gold file has twice
    gold = save("gold.csv", ASKED.replace("Where?", "Who?") if twice else ASKED)
    predictions = save("model.csv", f"question,prediction\n{first},Ann\n{second},Rome\n")
    assert scored(gold, predictions)["exact_match"] == 1.0


@pytest.mark.parametrize(
    "doc_ids, turned, ids, right",
    [
        ((0, 1, 2), (2, 1, 0), [0, 1, 2], 1.0),  # of lm_eval: matched by the id
        (("a", "a", "b"), ("a", "a", "b"), None, 1 / 3),  # of the document of each question: by the order
    ],
)
def test_doc_id_is_the_id_of_a_question_where_no_two_are_alike(save, doc_ids, turned, ids, right):
    answers = ("Rome", "Paris", "Oslo")
    golds = [f'{{"doc_id": {row!r}, "target": "{text}"}}\n'.replace("'", '"') for row, text in zip(doc_ids, answers)]
    gold = save("g.jsonl", "".join(golds))
    given = [f"{row},{text}\n" for row, text in zip(turned, reversed(answers))]
    assert scored(gold, save("p.csv", "doc_id,response\n" + "".join(given)))["exact_match"] == right
    assert read_gold(gold).ids == ids


def test_a_list_with_an_empty_text_beside_empty_gold_cells_is_remarked_as_an_answer():
    message = r'1 gold answer is empty, first references\[0\]: read as .*; 1 more is \[""\], first references\[2\]: an answer that'
    with pytest.warns(UserWarning, match=message):
        scores = qassay.score("answer_match", ["", "x", ""], ["", "x", [""]])
    assert scores["no_answer_total"] == 1


def test_refusals_where_there_is_no_answer_are_remarked():
    with pytest.warns(
        UserWarning, match="2 of 3 answers to questions without an answer are refusals, such as .I don't"
    ):
        qassay.score("answer_match", ["I don't know.", "Rome", "Not mentioned in the text.", ""], [[], [], [], []])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        qassay.score("answer_match", ["I don't know.", "Rome", "Paris", "Bern"], [[], [], [], []])
