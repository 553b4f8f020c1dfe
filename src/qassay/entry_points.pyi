# Written by tests/test_entry_points.py from the columns and options of the families: do not edit.
from collections.abc import Sequence
from typing import Any

from .core.scores import Scores

def answer_match(
    predictions: Any,
    references: Any,
    ids: Any = ...,
    weights: Any = ...,
    no_answer_probabilities: Any = ...,
    predicted_facts: Any = ...,
    gold_facts: Any = ...,
    groups: Any = ...,
    predicted_details: Any = ...,
    gold_details: Any = ...,
    *,
    preset: str | None = ...,
    task: str = ...,
    normalizer: Any = ...,
    unit: str | None = ...,
    top_k: int | Sequence[int] | None = ...,
    contains: str = ...,
    whole_answers: str | Sequence[str] | None = ...,
    extract: Any = ...,
    unextracted: str = ...,
    empty_gold: str = ...,
    empty_f1: float = ...,
    no_answer_threshold: float | None = ...,
    missing: str = ...,
    duplicates: str = ...,
) -> Scores:
    """Score examples with answer_match: columns in, per-example statistics out.

    Args:
        predictions: n answers (str, "" for no answer); a dict id -> answer; or SQuAD rows `{"id", "prediction_text"[,
            "no_answer_probability"]}`. An answer is a ranked list of texts with `top_k` ([] for no answer) and a
            (start, end) span or None with `unit="offset"`. Any other answer that is None is missing.
        references: n lists of gold answers ([]: the question has no answer), or a string for every question (its one
            gold answer, "" for none); a dict id -> gold answers; or SQuAD rows `{"id", "answers"}` with the answers
            as `{"text": [...]}`, a list of `{"text": ...}` or a list of strings.
        ids: n unique ids, when the columns are plain lists.
        weights: the weight of each question, n numbers of at least 0.
        no_answer_probabilities: a number per prediction (or a dict id -> number), larger if an answer is less likely;
            adds the best scores over all thresholds. A single number applies to all predictions whose rows have none.
        predicted_facts, gold_facts: the supporting facts of HotpotQA, lists of [title, sentence]; without both,
            answers only. As in its script, an answer or a list of facts that is None is missing: that half and the
            joint scores are 0, the other half keeps its score, and each is counted (`missing`, and `missing_facts` in
            the notes).
        groups: n labels (str or number), such as the article of each question, or a dict by id: questions of one
            group are not independent, so intervals draw whole groups. None: questions are independent.
        predicted_details, gold_details: what a preset reads besides answers (see `qassay list --presets`), as a dict
            of columns or one dict per question; it may also be in the rows of predictions and references.
        preset: the rules of a benchmark by name, such as "search_r1" (`qassay list --presets`); it sets the defaults
            of other options.
        task: "answers" (SQuAD rules), "drop" (spans and numbers) or "hotpotqa" (answers and supporting facts, and
            both joint); some presets have their own tasks.
        normalizer: a name of a normaliser, a list of steps or a callable; None: the task's own.
        unit: what F1, precision, recall and containment count: "token", "character" or "offset" (positions of spans);
            None: the normaliser's own.
        top_k: for ranked answers, the ranks at which the best answer so far is scored, for example (1, 3, 5); None
            for one answer.
        contains: what `contains` searches for: the tokens of a gold answer ("token"), or its normalised text in the
            normalised answer ("substring": "ham" is in "hamburg").
        whole_answers: normalised answers that match as a whole or not at all, such as ("yes", "no", "noanswer"): F1,
            precision and recall are 0 if one side is one of them and the other differs.
        extract: how to extract the answer from the output of a model: "answer_tag" (the last <answer>), "after_think"
            (what follows the last </think>), "boxed", "final_answer", "last_line", "json:FIELD", "regex:PATTERN" (the
            last match), "none" (the whole output, to override a preset) or a function from a text to a text or None.
        unextracted: with extract, a prediction without an answer scores 0 ("zero"), counts as the empty answer
            ("empty") or as a whole ("whole"), or is refused ("error"); it is always counted.
        empty_gold: gold answers that are empty after normalisation are dropped ("drop", as in SQuAD 2.0), kept
            ("keep") or refused ("error").
        empty_f1: F1 of an empty answer and an empty gold answer: 1.0 (SQuAD 2.0) or 0.0 (SQuAD 1.1; counted in the
            notes). Without gold answers an empty answer always has 1.0.
        no_answer_threshold: withhold answers whose no-answer probability is above this; None: withhold none.
        missing: an example without a prediction scores 0 ("zero"), is omitted ("skip") or refused ("error"); it is
            always counted.
        duplicates: a duplicate id is refused ("error"), or its "first" or "last" row counts.
    """

def retrieval_ranking(
    predictions: Any = ...,
    references: Any = ...,
    ids: Any = ...,
    weights: Any = ...,
    scores: Any = ...,
    relevances: Any = ...,
    groups: Any = ...,
    *,
    run: Any = ...,
    qrels: Any = ...,
    preset: str | None = ...,
    measures: str | Sequence[str] | None = ...,
    ties: str | None = ...,
    tie_bounds: bool = ...,
    score_dtype: str = ...,
    missing: str = ...,
    relevance_level: float = ...,
    ap_denominator: str | None = ...,
    gain: Any = ...,
    depth: int | None = ...,
    judged_only: bool = ...,
    skip_trivial: bool = ...,
    drop_identical_ids: bool = ...,
    duplicates: str = ...,
    lower_is_better: bool = ...,
) -> Scores:
    """Score examples with retrieval_ranking: columns in, per-example statistics out.

    Args:
        predictions: a dict query -> {document: score} (or -> ranked documents); n ranked lists of documents; or a
            table (Arrow, pandas, a dict of columns) with the columns query, document, score. A table with query,
            label and score judges itself. Also a Run of ranx, and the ScoredDoc of ir_measures.
        references: a dict query -> {document: relevance} (or -> relevant documents); n lists or sets of relevant
            documents; or a table with query, document, relevance. Also a Qrels of ranx, and the Qrel of ir_measures.
        ids: n unique ids of the queries, when the columns are plain lists.
        weights: the weight of each query of the references: n numbers of at least 0, or a dict or a pandas series by
            query.
        scores: n lists of scores parallel to ranked lists; the order of lists then counts only with ties="stable".
        relevances: n lists of relevances (numbers, higher is better) parallel to lists of documents.
        groups: one label (str or number) for each query of the references, such as its topic, or a dict by query:
            queries of one group are not independent, so intervals draw whole groups. None: queries are independent.
        run: another name of predictions.
        qrels: another name of references.
        preset: "nlpcc": the measures, the order of ties and the AP denominator of the NLPCC-DBQA guideline, unless
            other options override them; None: the measures of trec_eval.
        measures: names such as "map", "ndcg@10", "map(rel=2)@100", or trec_eval's; also "official" and "all_trec".
        ties: the order of documents with the same score: "trec" (document id descending), "stable" (as given), "best"
            or "worst" (relevant documents first or last), "expected" (the mean over all orders).
        tie_bounds: add measures for the worst and the best order of ties, if these are bounds.
        score_dtype: precision in which scores are compared: "float64" (trec_eval 10) or "float32" (trec_eval 9 and
            pytrec_eval).
        missing: a judged query that the run lacks scores 0 ("zero"), is omitted ("skip") or refused ("error"); it is
            always counted.
        relevance_level: documents of at least this relevance are relevant; does not affect nDCG, DCG and ERR.
        ap_denominator: the denominator of average precision: "num_relevant" (trec_eval), "min_mn" (relevant or
            retrieved documents, whichever are fewer: NLPCC), "num_retrieved_relevant" (relevant documents found),
            "min_k_relevant" (relevant documents, at most k) or "fixed:N" (fixed:10: BioASQ 3 and 5).
        gain: the value of relevance in nDCG and DCG: "linear", "exp2" (2^relevance - 1) or a dict {level: gain}, in
            which an omitted level is its own gain.
        depth: the number of documents of each ranking that count (trec_eval's -M); None: all. Applied before
            judged_only.
        judged_only: removes unjudged documents (trec_eval's -J).
        skip_trivial: omits queries without a relevant document, or with relevant documents only (NLPCC's program).
        drop_identical_ids: removes documents whose id is the id of the query (ArguAna, Quora).
        duplicates: for a duplicate document of a query, as with chunks of one document, the "first" one counts, or
            the "best" (highest score; in a list the first), and the others are removed and counted; or it is refused
            ("error"). The same for duplicate judgements, by relevance.
        lower_is_better: the scores are distances, so the lowest is best.
    """

def factoid_accuracy(
    predictions: Any,
    references: Any,
    ids: Any = ...,
    question_types: Any = ...,
    weights: Any = ...,
    groups: Any = ...,
    *,
    phase: str = ...,
    version: int = ...,
    top_k: int | None = ...,
    normalizer: Any = ...,
    question_type: str | None = ...,
    missing: str | None = ...,
    duplicates: str = ...,
) -> Scores:
    """Score examples with factoid_accuracy: columns in, per-example statistics out.

    Args:
        predictions: n answers: for a factoid question a ranked list of candidates, for a list question a list of
            entities (`["dog", "cat"]` or `[["dog"], ["cat"]]`), for a yes/no question a string; a dict id -> answer;
            rows of BioASQ `{"id", "exact_answer"}`, which may be a table or a dict of columns; or a whole file
            `{"questions": [...]}`. None is a missing answer. In phase A lists of documents, or rows `{"id",
            "documents"}`.
        references: the same with the gold answers: names of one entity or of several (`["dog", "canine"]`) for a
            factoid question, for a list question a list of names for each entity; rows also have a "type".
        ids: n unique ids, when the columns are plain lists.
        question_types: n times "factoid", "list", "yesno" or "summary" (which has no exact answer and is not scored),
            when no rows bring them.
        weights: the weight of each question of the references, n numbers of at least 0.
        groups: n labels (str or number), such as the article of each question, or a dict by id: questions of one
            group are not independent, so intervals draw whole groups. None: questions are independent.
        phase: "B" scores exact answers, "A" the documents found for each question.
        version: the version of the rules, as the argument -e of the official program: 9 (BioASQ 9 and later), 8, 5
            (BioASQ 5 to 7), 3 or 2.
        top_k: the number of candidates of a factoid question that count, 5 by the rule of the task; None: all, as in
            the official program.
        normalizer: the name of a normaliser, a list of steps or a callable: names that are equal after normalisation
            match.
        question_type: the type of questions without one: "factoid", "list", "yesno" or "summary". None: "factoid" for
            plain answers; rows without a type are refused.
        missing: a question missing from the predictions scores 0 ("zero"), is omitted ("skip", as officially in
            version 9 and in phase A) or refused ("error"); it is always counted. None: "zero", in phase A "skip".
        duplicates: for a duplicate question, the "first" or the "last" answer counts, or it is refused ("error").
    """

def retriever_reader(
    predictions: Any,
    references: Any = ...,
    ids: Any = ...,
    weights: Any = ...,
    groups: Any = ...,
    *,
    ap_denominator: str = ...,
    denominator: str = ...,
    unit: str | None = ...,
    normalizer: Any = ...,
    top_k: int | None = ...,
    open_domain: bool = ...,
    missing: str = ...,
    duplicates: str = ...,
    document_field: str | None = ...,
    document_node: str | None = ...,
    answer_node: str | None = ...,
    preset: str | None = ...,
) -> Scores:
    """Score examples with retriever_reader: columns in, per-example statistics out.

    Args:
        predictions: n rows `{"documents": [...], "answers": [...]}`, with an "id" or without; a dict id -> row; or a
            table of such columns. Documents are ranked ids, or dicts with "id" and "text". Answers are ranked: each
            `{"text", "document_id", "start", "end"}` (end exclusive), or None for no answer. Results of Haystack, as
            dicts or objects, are such rows too, also nested by the names of nodes.
        references: n rows `{"documents": [...], "answers": [...], "is_impossible": bool}`, in the same forms: the ids
            of the gold documents (omitted: the documents of the answers), and gold answers like answers ([]:
            unanswerable), or a string in every row, its one gold answer ("" for none). A table of Haystack's
            `pipeline.eval()` needs no references.
        ids: n unique ids, if the rows have none.
        weights: the weight of each question, n numbers of at least 0.
        groups: n labels (str or number), such as the article of each question, or a dict by id: questions of one
            group are not independent, so intervals draw whole groups. None: questions are independent.
        ap_denominator: the denominator of average precision: "num_relevant" (all gold documents, PIAF's code) or
            "num_retrieved_relevant" (found gold documents, PIAF's text).
        denominator: the questions of reader measures: "correct_retrievals" (questions whose document was retrieved,
            PIAF's text) or "queries" (all questions, PIAF's code).
        preset: "piaf": the rules of PIAF, which set the unit "offset_or_character"; None: no such rules.
        unit: the unit of comparison: "offset" (character positions), "token" (normalised words), "character" (bags of
            characters) or "offset_or_character" ("offset" if every answer has a span, otherwise "character"); None:
            "offset" if every answer has a span, otherwise "token" ("character" for answers of Haystack's readers).
            Name one unit if scores are compared or joined, because answers of systems and batches may differ in this.
        normalizer: the normaliser of the units "token" (default: squad) and "character" (default: none): a name, a
            list of steps or a callable.
        top_k: the number of ranked answers for topk measures, at least 1; None: all. At most 4,000,000 pairs of
            answers and gold answers are compared per question.
        open_domain: a document is right if it contains a gold answer, regardless of its id.
        missing: a question without a prediction scores 0 ("zero"), is omitted ("skip") or refused ("error"); it is
            always counted.
        duplicates: a duplicate question is refused ("error"), or its "first" or "last" row counts.
        document_field: the field of a document's meta that contains its id, for Haystack; None: the id of the
            document.
        document_node, answer_node: the nodes of a Haystack pipeline whose documents and answers are scored, if the
            result of `Pipeline.run()` has several; None: the only one.
    """

def semantic_answer_similarity(
    predictions: Any,
    references: Any,
    ids: Any = ...,
    weights: Any = ...,
    questions: Any = ...,
    groups: Any = ...,
    *,
    model: str | Any = ...,
    revision: str | None = ...,
    mode: str = ...,
    encoder: str | None = ...,
    encoder_revision: str | None = ...,
    raw: bool = ...,
    symmetric: bool = ...,
    normalizer: Any = ...,
    thresholds: float | Sequence[float] = ...,
    top_k: int | Sequence[int] | None = ...,
    extract: Any = ...,
    unextracted: str = ...,
    missing: str = ...,
    duplicates: str = ...,
    dtype: str = ...,
    backend: str = ...,
    max_length: int | None = ...,
    device: str | Sequence[str] | None = ...,
    batch_size: int | None = ...,
    trust_remote_code: bool = ...,
    progress: bool | None = ...,
) -> Scores:
    """Score examples with semantic_answer_similarity: columns in, per-example statistics out.

    Args:
        predictions: n answers (str, "" for no answer); a dict id -> answer; or SQuAD rows `{"id",
            "prediction_text"}`. With `top_k` an answer is a ranked list of texts.
        references: n lists of gold answers ([]: the question has no answer), or a string for every question (its one
            gold answer, "" for none); a dict id -> gold answers; or SQuAD rows `{"id", "answers"}`.
        ids: n unique ids, when the columns are plain lists.
        weights: the weight of each question, n numbers of at least 0.
        questions: n texts, in the order of the references, only for a scorer of your own that reads them.
        groups: n labels (str or number), such as the article of each question, or a dict by id: questions of one
            group are not independent, so intervals draw whole groups. None: questions are independent.
        model: the id of a cross- or bi-encoder on the hub, its local folder, "lite" (built in: no network, no torch),
            or a `qassay.semantic_answer_similarity.pair_scorers.PairScorer` of your own.
        revision: revision of the model on the hub; None: the pinned revision of the default model, the newest of
            others.
        mode: "cross" or "bi"; "auto": determined by the model's files.
        encoder: for model="lite": the id or folder of a bi-encoder whose cosines it uses too; None: text alone. The
            trees were fitted to all-MiniLM-L6-v2; with other encoders they are not calibrated.
        encoder_revision: revision of the encoder on the hub.
        raw: use only scores of the model: equal and empty texts also go through the model, as in the numbers of the
            paper.
        symmetric: for a cross-encoder, the mean of both directions, (prediction, gold) and (gold, prediction); other
            scorers are symmetric.
        normalizer: answers that are equal after normalisation score 1: the name of a normaliser, a list of steps or a
            callable.
        thresholds: a question is right in sas_accuracy@t if its sas is at least t.
        top_k: for ranked answers, the ranks at which the best answer so far is scored, for example (1, 3, 5); None
            for one answer.
        extract: how to extract the answer from the output of a model, as in answer_match: "answer_tag" (the last
            <answer>), "after_think" (what follows the last </think>), "boxed", "final_answer", "last_line",
            "json:FIELD", "regex:PATTERN" (the last match) or a function.
        unextracted: with extract, a prediction without an answer scores 0 ("zero"), counts as the empty answer
            ("empty") or as a whole ("whole"), or is refused ("error"); it is always counted.
        missing: an example without a prediction scores 0 ("zero"), is omitted ("skip") or refused ("error"); it is
            always counted.
        duplicates: a duplicate id is refused ("error"), or its "first" or "last" row counts.
        dtype: the number type of the model: "float32", "bfloat16" (faster if the hardware supports it; scores deviate
            by about 0.01, and vary as much with the other pairs of a batch) or "float16" (graphics cards only).
        backend: the library that runs the model, by sentence-transformers: "torch", "onnx" or "openvino".
        max_length: the maximum number of tokens of a pair (of a text with a bi-encoder); None: the limit of the
            model.
        device: where it runs, such as "cpu" or "cuda:0", or several devices (a process each: a script then needs an
            `if __name__ == "__main__":`); None: a graphics card if there is one.
        batch_size: the number of pairs (texts with a bi-encoder) per forward pass; None: 64 on a processor, 256 on a
            graphics card.
        trust_remote_code: run code that a model on the hub contains.
        progress: show a progress bar on stderr; None: only if it is a terminal.
    """

def answer_equivalence(
    predictions: Any,
    references: Any,
    ids: Any = ...,
    weights: Any = ...,
    questions: Any = ...,
    groups: Any = ...,
    *,
    model: str | Any = ...,
    revision: str | None = ...,
    use_questions: bool | None = ...,
    accept_label: str | None = ...,
    input_order: str | None = ...,
    threshold: float = ...,
    extract: Any = ...,
    unextracted: str = ...,
    missing: str = ...,
    duplicates: str = ...,
    dtype: str = ...,
    backend: str = ...,
    max_length: int | None = ...,
    explain: bool = ...,
    device: str | Sequence[str] | None = ...,
    batch_size: int | None = ...,
    trust_remote_code: bool = ...,
    progress: bool | None = ...,
) -> Scores:
    """Score examples with answer_equivalence: columns in, per-example statistics out.

    Args:
        predictions: n answers (str, "" for no answer); a dict id -> answer; or SQuAD rows `{"id",
            "prediction_text"}`.
        references: n lists of gold answers ([]: the question has no answer), or a string for every question (its one
            gold answer, "" for none); a dict id -> gold answers; or SQuAD rows `{"id", "answers"}`.
        ids: n unique ids, when the columns are plain lists.
        weights: the weight of each question, n numbers of at least 0, or a dict by id.
        questions: n texts, in the order of the references, or a dict by id. None: the scorer without questions is
            used, which is less accurate; the signature says so. "" or None in it: this answer is judged without a
            question and counted as without_question.
        groups: n labels (str or number), such as the article of each question, or a dict by id: questions of one
            group are not independent, so intervals draw whole groups. None: questions are independent.
        model: "lite" (built in: no network, no torch); a callable `(question, golds, answer) -> probability`, such as
            a language model as a judge, or a `qassay.answer_equivalence.judges.Judge`, which says how to call it; the
            id or folder of a cross-encoder that reads question, gold answer and answer; or a
            `qassay.semantic_answer_similarity.pair_scorers.PairScorer`.
        revision: the revision of the model on the hub; None: the newest.
        threshold: accept answers with at least this probability.
        use_questions: whether the scorer reads the questions; None: if there are any. False also ignores given
            questions; lite then uses trees trained without questions.
        accept_label: for a cross-encoder with several outputs, the name of the output for right answers; its softmax
            is the probability. None: determined from two names such as not_equivalent and equivalent, or LABEL_0 and
            LABEL_1; other names, and three outputs, are refused. A single output is passed through the sigmoid.
        input_order: the order of texts in the input of a cross-encoder, with separators: "question_gold_answer", or
            "answer_gold_question" as in BEM. None: as in BEM if the name of the model contains bem or
            answer_equivalence, else the question first.
        extract: how to extract the answer from the output of a model, as in answer_match: "answer_tag" (the last
            <answer>), "after_think" (what follows the last </think>), "boxed", "final_answer", "last_line",
            "json:FIELD", "regex:PATTERN" (the last match) or a function.
        unextracted: with extract, a prediction without an answer scores 0 ("zero"), counts as the empty answer
            ("empty") or as a whole ("whole"), or is refused ("error"); it is always counted.
        missing: an example without a prediction scores 0 ("zero"), is omitted ("skip") or refused ("error"); it is
            always counted.
        duplicates: a duplicate id is refused ("error"), or its "first" or "last" row counts.
        explain: for model="lite": also explain each probability, in tables of examples and in the result of the
            evaluate module; takes a few milliseconds per answer.
        dtype: the number type of the model: "float32", "bfloat16" or "float16" (graphics cards only).
        backend: the library that runs the model, by sentence-transformers: "torch", "onnx" or "openvino".
        max_length: the maximum number of tokens of a row; None: the limit of the model.
        device: where the model runs, such as "cpu" or "cuda:0", or several devices (a process each); None: a graphics
            card if there is one.
        batch_size: the number of rows per forward pass; None: 64 on a processor, 256 on a graphics card.
        trust_remote_code: run code that a model on the hub contains.
        progress: show a progress bar on stderr; None: only if it is a terminal.
    """

def claim_support(
    predictions: Any,
    references: Any = ...,
    ids: Any = ...,
    weights: Any = ...,
    groups: Any = ...,
    *,
    task: str = ...,
    unjudged: str = ...,
    empty: str = ...,
    missing: str = ...,
    duplicates: str = ...,
    preset: str | None = ...,
) -> Scores:
    """Score examples with claim_support: columns in, per-example statistics out.

    Args:
        predictions: the verdicts on the answer to each of n questions; a dict id -> verdicts; or rows `{"id",
            "verdicts"}`. Nuggets: a list of "support", "partial_support" or "not_support", or of dicts with
            `assignment`. Claims: a dict of "answer2response" and "response2answer", a verdict ("Entailment",
            "Neutral", "Contradiction", or True and False) per claim of the response and of the gold answer, and
            "retrieved2response" and "retrieved2answer", a list of a verdict per document for each claim. Citations: a
            list of statements `{"citations": [1, 2], "entailed": verdict, "alone": [verdict, ...], "without":
            [verdict, ...]}`, or `{"docs": 5, "statements": [...]}`. Grades: "CORRECT", "INCORRECT" or
            "NOT_ATTEMPTED". None is a missing verdict.
        references: the gold data of the questions; a list, a dict by id, or rows `{"id", "gold"}`. Nuggets: a list of
            "vital" or "okay", or of dicts with `importance` and maybe `text`; None if the predictions have these.
            Claims: the claims of the gold answer, a list of texts. Others: the gold answers, a text or a list of
            texts, which are compared between systems only. None for none.
        ids: n unique ids, when the columns are plain lists.
        weights: the weight of each question, n numbers of at least 0.
        groups: n labels (str or number), such as the topic of each question, or a dict by id: questions of one group
            are not independent, so intervals draw whole groups. None: questions are independent.
        task: the subject of the verdicts: "nuggets" (is each nugget of the question in the answer), "claims" (do
            answer, gold answer and documents entail each claim), "citations" (do the documents that a statement cites
            entail it) or "grades" (is the whole answer correct, incorrect or not attempted).
        unjudged: a missing verdict is omitted from the shares of its question, which are NaN if none is left
            ("skip"), counts as not supported, as in the official programs ("zero"; a grade: as not attempted), or is
            refused ("error"); it is always counted.
        empty: the value of an empty share, such as the share of vital nuggets if there are none: as in the official
            program of the task ("official": 0, and omitted for citations if the answer has no statement), 0 ("zero")
            or NaN, which means omit ("skip").
        missing: a question without a prediction is omitted ("skip"), scores 0 ("zero") or is refused ("error"); it is
            always counted. With "zero", measures for which lower is better omit it.
        duplicates: a duplicate id is refused ("error"), or its "first" or "last" row counts.
        preset: the task and the rules of a benchmark by name, as defaults of other options: "simpleqa", "nuggets",
            "alce", "ragchecker".
    """

def label_metrics(
    predictions: Any,
    references: Any,
    ids: Any = ...,
    weights: Any = ...,
    groups: Any = ...,
    *,
    task: str = ...,
    labels: Any = ...,
    layout: str = ...,
    zero_division: float = ...,
    per_class: bool = ...,
    k: int | Sequence[int] = ...,
    label_counts: Any = ...,
    n_train: int | None = ...,
    dataset: str | None = ...,
    A: float = ...,
    B: float = ...,
    inverse_propensities: Any = ...,
) -> Scores:
    """Score examples with label_metrics: columns in, per-example statistics out.

    Args:
        predictions: n rows. Single-label: one label each, a string, an integer or another hashable value.
            Multi-label: a list or set of labels each, an indicator matrix (array of 0 and 1), or a sparse matrix of
            scipy. Ranked: a list of labels each, best first; a dict label -> score; a dict of the lists "indices" and
            "scores"; an array of label numbers (n, m), best first, -1 for an empty place; or a matrix of scores,
            sparse or an array of floats. Tied scores rank in the order given, in a matrix by column. A label twice
            among the first max(k) places is refused.
        references: the true labels: one each, or lists, sets, an indicator or a sparse matrix. Columns of a matrix
            are the classes of the option labels, in order, or else 0, 1, 2, ... Both sides may also be dicts id ->
            row.
        ids: n unique ids, when the columns are not dicts.
        weights: the weight of each row, n numbers of at least 0 (scikit-learn's sample_weight). A row of weight 0 is
            ignored, except that its classes count in macro averages over the classes that occur.
        groups: n labels (str or number), such as the article of each row, or a dict by id: rows of one group are not
            independent, so intervals draw whole groups. None: rows are independent.
        task: "single" (one label per row), "multi" (a set of labels per row), "ranked" (a ranking of labels per row),
            or "auto": determined by the layout of the columns; lists of labels are ambiguous.
        labels: the classes, in order, or how many there are (0, 1, 2, ...). Other labels are then refused, and all
            classes count in macro averages and in hamming_loss. None: the classes that occur, sorted, or all columns
            of a matrix; in slices and resamples these macro averages cover the classes that occur there.
        layout: "indicator": lists are rows of 0 and 1 (for rankings, rows of the references); "auto": they are lists
            of labels.
        zero_division: the value of a precision, recall, F1 or Jaccard of 0 / 0: 0.0, 1.0, or nan to omit it from
            means.
        per_class: add the measures of each class: `f1[cat]`.
        k: the ranks at which rankings are cut.
        label_counts: how often each label occurs in the training data, for PSP@k: a dict, or an array in the order of
            the option labels (if of equal length) or by label number; labels missing from a dict have count 0. On the
            command line also a training file of sparse rows (XMC), which also sets n_train.
        n_train: the number of rows of the training data, with label_counts.
        dataset: the data set of A and B: "wikipedia" (0.5, 0.4) or "amazon" (0.6, 2.6).
        A, B: constants of the propensities.
        inverse_propensities: the weight of each label in PSP@k, instead of label_counts.
    """

def average_precision(
    predictions: Any,
    references: Any,
    ids: Any = ...,
    weights: Any = ...,
    groups: Any = ...,
    *,
    task: str = ...,
    labels: Any = ...,
    pos_label: str | float | None = ...,
    thresholds: float | Sequence[float] | None = ...,
    interpolation: str | None = ...,
    ties: str | None = ...,
    per_class: bool = ...,
    style: str = ...,
    box_format: str = ...,
    iou_thresholds: float | Sequence[float] | None = ...,
    max_detections: int | None = ...,
) -> Scores:
    """Score examples with average_precision: columns in, per-example statistics out.

    Args:
        predictions: n scores (higher is more likely positive); or per example a dict {class: score}, or a list with a
            score per class (also an array (n, c)). With task="boxes" per image `{"boxes": [...], "scores": [...],
            "labels": [...]}`, None for nothing found, or one box of 4 numbers; also a dict id -> row.
        references: n times true or false, or 1 or 0, or any values, with `pos_label` for the positive one; with a
            score per class the class of each example, or a list of its classes, or a row of bools. With task="boxes"
            per image `{"boxes": [...], "labels": [...]}`, or one box; also a dict id -> row.
        ids: n unique ids, when the columns are not dicts.
        weights: the weight of each example (image), n numbers of at least 0.
        groups: n labels (str or number), such as the article of each example, or a dict by id: examples of one group
            are not independent, so intervals draw whole groups. None: examples are independent.
        task: "scores" (examples with a score, or a score per class) or "boxes" (found boxes against gold boxes).
        labels: the classes, or their number (0, 1, 2, ...); for lists of scores, in the order of the lists. None: the
            classes that occur, sorted. Parts to be joined must have the same labels.
        pos_label: for one score per example: the positive reference, if references are not true or false.
        thresholds: the thresholds of the points of the curve, in any order; None: every score that occurs, as in
            scikit-learn.
        interpolation: "none" (the step sum), "voc11", "all_points" or "coco101", which make precision monotonic
            first; None: "none" for scores, and for boxes the choice of the style.
        ties: equal scores are one point of the curve ("grouped"), or one point each in the order of rows ("stable");
            None: "grouped" without interpolation or with thresholds, else "stable", as in the official programs.
        per_class: add the average precision of each class.
        style: for boxes: "coco" (the mean over IoU .50, .55, ... .95; 101 points) or "voc" (IoU .50; all points).
        box_format: "xyxy" (left, top, right, bottom) or "xywh" (left, top, width, height).
        iou_thresholds: the required overlap of a found box with a gold box, above 0 up to 1; None: the thresholds of
            the style.
        max_detections: the number of boxes of a class that count in an image, by highest score; None: 100 for "coco",
            all for "voc".
    """
