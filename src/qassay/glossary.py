"""The words that tables and sentences print: headings, verdicts, marks, and columns of CSV, each with a sentence.

`qassay explain WORD` shows them. Measures, options, presets, kinds of errors, interval methods, tests and cautions are described where they
are defined; docs/result_document.md describes the fields of JSON.
"""

import re

_WORDS = {
    # A key is one word, or several words for one thing. A word with two meanings gets both, each with where.
    # --- what a row is about
    "system": "one system, called like its file unless NAME=FILE or a column of names says otherwise",
    "measure, measures": "what a row or column measures; qassay explain MEASURE says how",
    "metric": "the metric that has the measure; qassay explain METRIC lists its columns, options and measures",
    "slice, slices, slicing": "a grouping of the examples: a column of the gold file, or one that the metric makes, such as "
    "question_word; empty for all examples",
    "question_word": "a slice: by the question word, such as who or when",
    "answer_type": "a slice: by the type of the gold answers",
    "answer_length": "a slice: by the number of words of the gold answers",
    "gold_count": "a slice: by the number of gold answers",
    "has_answer": "a slice: questions with and without a gold answer",
    "error_kind": "a slice: by what is wrong with the answer; qassay explain METRIC lists the kinds",
    "relevant_count": "a slice: queries by their number of relevant documents",
    "failure": "a slice: the stage of the pipeline that failed",
    "label, labels": "one group of a slice; in qassay calibrate and agreement, and of classes, what an example is "
    "labelled with",
    "name": "the name by which other fields refer to it",
    "n": "the number of examples behind a value; behind both values, for a difference. * marks a small number",
    "row": "what the row of a CSV file is about, such as a measure or a system",
    "first": "the first of two compared systems; the difference is the second minus the first",
    "second": "the second of two compared systems; the difference is the second minus the first",
    # --- values and intervals
    "value, values": "the value of a measure; over all examples, or by example",
    "interval, intervals": "a confidence interval: with this confidence it contains the value of a large set of "
    "such examples",
    "low": "of a measure in a document, its smallest possible value; elsewhere the lower end of the interval",
    "high": "of a measure in a document, its largest possible value; elsewhere the upper end of the interval",
    "method, methods": "how an interval is computed, such as effective Wilson; qassay explain METHOD says more. In "
    "a calibration, the estimator",
    "interval_method": "in a calibration, the method of its interval",
    "confidence": "the confidence of the intervals, such as 0.95; 1 minus it is the level of the tests",
    "n_resamples, resamples": "how often the examples are drawn again at random, for intervals, ranks and the "
    "bootstrap test",
    "n_permutations, rounds": "how often a permutation or bootstrap test is repeated at random; a test with few "
    "swaps tries all of them and is exact",
    "seed": "the number that random draws start from: the same seed gives the same intervals and p-values",
    "n_groups, groups": "the number of groups behind a value, such as articles; intervals and tests then treat "
    "groups as units",
    "group_name": "the column that makes the groups",
    "few, *": "under 30 examples or groups, or few of them vary; * in the matrix of all pairs: better or worse",
    # --- comparisons
    "difference, differences": "the value of the second system minus the value of the first",
    "p": "the p-value in tables and sentences: p_corrected",
    "p_value": "the two-sided p-value of the test, before correction for several tests",
    "p_corrected": "the p-value after correction for the number of tests; verdicts and ranks use it",
    "p against": "the corrected p-value of the difference from this system",
    "correction": "the correction of p-values for the number of tests: holm, bonferroni, benjamini-hochberg, none, "
    "or step-down for ranks",
    "holm": "Holm's correction for several tests, the default: controls the probability of any false difference",
    "bonferroni": "Bonferroni's correction for several tests: p times the number of tests",
    "benjamini-hochberg": "a correction for several tests: controls the expected share of false differences among "
    "those found",
    "step-down, Romano–Wolf": "the Romano–Wolf step-down correction over all pairs of systems: it begins with the clearest difference, and each "
    "further step corrects for the pairs that are left; ranks and letters use it",
    "level": "the largest probability of a false difference that a test may have: 1 - confidence, 0.05 unless set",
    "paired": "both systems are compared example by example, on the same examples",
    "two-sided": "the test looks for a difference in either direction, better or worse",
    "verdict, verdicts": "better, worse, or could be chance; of qassay check: not worse, worse, or too few examples",
    "better": "the second system has the better value, and p_corrected is below 1 - confidence; as a number: the "
    "examples on which it is better",
    "worse": "the second system has the worse value, and p_corrected is below 1 - confidence; as a number: the "
    "examples on which it is worse",
    "equal": "the number of examples on which both systems have the same value",
    "could be chance": "the verdict on a difference whose p_corrected is not below 1 - confidence: it shows neither that the systems differ nor that "
    "they are equal",
    "effect, effect_size": "the mean difference divided by the standard deviation of the differences of single "
    "examples (Cohen's d of pairs)",
    "n needed, n_needed": "how many examples one test needs to find a difference of this size in 4 of 5 samples",
    "groups_needed": "how many groups one test needs to find a difference of this size in 4 of 5 samples",
    "left_out": "how many examples a measure applies to in only one of both systems; they are omitted",
    "unmatched": "how many examples of a system another system lacks; they are omitted",
    "cautions": "why a test or an interval may mislead, as codes; qassay explain CODE says more",
    "baseline": "the system that the others are compared with",
    "test": "the test behind p, such as permutation; qassay explain TEST says more",
    # --- ranks
    "rank": "the place of a system by a measure, 1 for the best; equal values share a rank",
    "ranks, rank_interval": "the first and the last rank that a system may have, at the confidence of the "
    "intervals; ranks is also the list of rankings",
    "rank_low": "the first rank that a system may have, at the confidence of the intervals",
    "rank_high": "the last rank that a system may have, at the confidence of the intervals",
    "letters": "systems that share a letter do not differ significantly",
    "alike": "the letters of a system; systems that share one do not differ significantly",
    "best, best_share": "the share of resamples in which a system is the best, which is not the probability that it is",
    "team": "who made a system, from the file of --about",
    "date": "the date of a system from the file of --about, or of the result",
    "link": "the address of a system, from the file of --about",
    "note": "a remark on a system, from the file of --about",
    # --- runs
    "deviation": "the standard deviation of the values of several runs",
    "smallest, lowest": "the smallest value of several runs",
    "largest, highest": "the largest value of several runs",
    "question": "the text of an example; of several runs, the share of the variance of their mean that comes from "
    "the questions",
    "run": "of several runs: the share of the variance of their mean that comes from the run",
    "noise": "of several runs: the share of the variance of their mean that comes from neither the questions nor "
    "the run",
    "always": "of several runs: the share of questions that all runs answer right",
    "never": "of several runs: the share of questions that no run answers right",
    "pass": "for a system with several runs, pass@k: the probability that one of k answers is right (--pass-at 1,5; "
    "Runs.pass_at); and pass^k: the probability that all k are right (--pass-hat 2,4; Runs.pass_hat)",
    "runs": "several runs of a system: NAME=FILE,FILE or a column of runs on the command line, qassay.runs in Python",
    "run_id": "the column of a table that names the run of each row",
    # --- with confidences
    "aurc": "with confidences, aurc(exact_match): the area under the risk-coverage curve, the mean of the risks (1 - exact "
    "match) of the first 1, 2, ... n answers, most confident first (Geifman, Uziel and El-Yaniv, 2019); lower is better",
    "selective": "with confidences, selective(exact_match)@0.8: the mean over the most confident 80 % of the answers",
    "coverage": "with confidences, coverage(exact_match)@0.9: the largest share of answers above a threshold of the "
    "confidence whose mean is at least 0.9; 0 if no threshold reaches it",
    "confidences": "how confident a system is in its answers: --confidences FILE, Scores.with_confidences, the argument "
    "confidences of score_files and of compute of the modules",
    # --- labels of people
    "people": "labels of people: their mean, or how well a second person agrees with them",
    "AUC, auc": "the probability that a right answer has a higher value than a wrong one; equal values count half",
    "accuracy at 0.5, accuracy": "in qassay agreement, the share of answers on which people and the measure agree, "
    "which accepts values of at least 0.5",
    "kappa at 0.5, kappa, kappa with the other people": "Cohen's kappa: agreement beyond chance; of a measure, "
    "which accepts values of at least 0.5, with people",
    "accuracy; best threshold, best_accuracy": "the accuracy at the best threshold, which is chosen without the "
    "answers that it judges",
    "best threshold, best_threshold": "the threshold that agrees best with people; 1.01 rejects every answer",
    "Pearson, pearson": "Pearson's correlation of values and labels",
    "correlation": "Pearson's correlation: of values and labels, or in a plan of two systems",
    "ECE, ece": "the expected calibration error: the mean distance between value and label, in ten bins",
    "tau": "Kendall's tau-b of the means of the systems with people's",
    "tau_ap": "the AP correlation of the order of the systems with people's",
    "pairs in people's order, same_order": "how many pairs of systems the measure puts in the same order as people",
    "pairs": "the number of compared pairs of systems, or the pairs of people",
    "largest difference, largest_difference": "the largest difference, over systems, between the mean of the "
    "measure and the mean of people's labels",
    "mean, means": "the mean of a measure, or of labels",
    "agreement": "how well the measure agrees with the labels of people",
    "right_from": "the lowest label of a right answer",
    "labelled, labels alone": "the mean of the labels without the measure",
    "n_labelled": "how many examples have a label",
    "n_labelled_groups": "how many groups have a label",
    "measured": "the value of the measure without labels",
    "by itself": "the value of the measure without labels",
    "calibrated": "the mean label that people would give all answers, estimated from the measure and some labels",
    "lambda, lam": "the weight of the measure in PPI++: 0 for the labels alone",
    "standard_error": "the standard error of the calibrated value",
    "sensitivity": "the share of right answers that the measure accepts",
    "specificity": "the share of wrong answers that the measure rejects",
    "width saved, saved": "how much narrower the calibrated interval is than the interval of the labels alone",
    "worth labels, worth": "how many labels alone would give an interval as narrow",
    "width": "the width of an interval from end to end; in a plan, of the value of one system",
    "alpha": "Krippendorff's alpha: the agreement of all people, beyond chance",
    "person": "a person who gave labels",
    "judge, judges": "a judge, such as a model, that is compared with people",
    "pair": "two of the people who gave labels",
    "with people": "the mean kappa of the judge with people",
    "two people": "the mean kappa of a second person with the other people",
    "as good as a second person": "the verdict on a judge if the interval of its difference from a second person is "
    "above minus the margin",
    "better than a second person": "the verdict on a judge if the interval of its difference from a second person "
    "is above 0",
    "worse than a second person": "the verdict on a judge if the interval of its difference from a second person is "
    "below 0",
    "undecided": "the verdict on a judge if the interval of its difference from a second person decides nothing",
    "linear kappa": "Cohen's kappa in which a disagreement weighs as much as its distance on the scale",
    "quadratic kappa": "Cohen's kappa in which a disagreement weighs as much as the square of its distance on the "
    "scale",
    "z": "how many standard deviations the kappa of a judge is above the mean of a person (Judge's Verdict)",
    "z_kind": "z in words: human-like (between -1 and 1), super-consistent (above) or below people",
    # --- the gate and plans
    "margin": "how much worse the second system may be, in units of the measure",
    "not worse": "the verdict of qassay check if the interval of the difference is above minus the margin",
    "too few examples": "the verdict of qassay check if the interval of the difference reaches below minus the margin",
    "losses, largest losses": "the examples that become worse by the most from the first to the second system",
    "largest gains": "the examples that become better by the most from the first to the second system",
    "questions": "a number of questions, or what the examples of the metric are",
    "queries": "a number of queries, or what the examples of the metric are",
    "expected value": "in a plan, the value that a system is expected to reach: the given share, or the value in "
    "the pilot",
    "assumed": "in a plan, a correlation of the two systems that no pilot shows; qassay plan --correlation sets it",
    "power": "how often a test finds the difference",
    "detectable": "the difference that a test finds with the given power",
    # --- signatures and notes
    "version": "the version of qassay",
    "own_scores": "numbers of another tool or a judge as measures: --metric own_scores, or qassay.scores_of in Python",
    "unbounded": "in signatures of own_scores: the measures whose values may be outside 0 to 1",
    "unscored": "with own_scores, the number of examples without a number of some measure",
    "fingerprint": "in signatures: identifies the built-in model that made the numbers",
    "v": "in signatures: the version of qassay that computed the numbers",
    "kinds of errors": "kinds of errors, best first",
    "scored 0": "of examples in a remark, such as those without a prediction: they count as 0 in the mean of every "
    "measure",
    "omitted": "of examples or predictions in a remark: they count in no value and in no n",
}

_MEANINGS = {name.replace(";", ","): meaning for names, meaning in _WORDS.items() for name in names.split(", ")}
_ENDINGS = re.compile(r"_(low|high|method|value)$")  # of columns such as first_low and auc_method


def printed_words() -> list[str]:
    """All words that have a sentence here."""
    return list(_MEANINGS)


def word_meaning(word: str) -> str:
    """The sentence on a word that outputs print; "" for other words.

    Example:
        >>> word_meaning("95 % interval") == word_meaning("interval"), word_meaning("auc_low")
        (True, 'of a measure in a document, its smallest possible value; elsewhere the lower end of the interval: auc, the probability that a right answer has a higher value than a wrong one; equal values count half')
    """
    if (known := word if word in _MEANINGS else word.lower()) in _MEANINGS:
        return _MEANINGS[known]
    if re.fullmatch(r"[\d.]+ % interval", word):
        return _MEANINGS["interval"]
    if word.startswith("p against "):
        return _MEANINGS["p against"]
    of, _, _ = word.rpartition("_")
    if _ENDINGS.search(word) and of in _MEANINGS:
        return f"{_MEANINGS[word[len(of) + 1 :]]}: {of}, {_MEANINGS[of]}"
    return ""
