"""Trees fitted by scikit-learn as the plain numbers that `qassay.core.forest` reads."""

from typing import Any

import numpy as np

ALWAYS_LEFT = 255


def forest_document(model: Any, scale: int) -> dict:
    """The trees of a HistGradientBoosting model, padded to complete trees, in the form of `qassay.core.forest.Forest`.

    Args:
        model: a fitted model with a `max_depth`, for regression or two classes.
        scale: leaves are integers in units of 1 / scale.
    """
    trees = [predictor.nodes for (predictor,) in model._predictors]
    nodes = np.concatenate(trees)
    inner = nodes[nodes["is_leaf"] == 0]
    thresholds = [
        np.unique(inner["num_threshold"][inner["feature_idx"] == column]) for column in range(model.n_features_in_)
    ]
    leaf_count = 2**model.max_depth
    features, ranks, leaves = [], [], []
    for tree in trees:
        padded = [0] * (leaf_count - 1), [ALWAYS_LEFT] * (leaf_count - 1), [0] * leaf_count
        _pad(tree, 0, 0, thresholds, scale, *padded)
        for rows, row in zip((features, ranks, leaves), padded, strict=True):
            rows.append(row)
    return {
        "thresholds": [values.tolist() for values in thresholds],
        "features": features,
        "ranks": ranks,
        "leaves": leaves,
        "scale": scale,
        "base": round(float(model._baseline_prediction.item()) * scale),
    }


def _pad(tree, number, place, thresholds, scale, features, ranks, leaves) -> None:
    """Write a node of a fitted tree and its descendants into a complete tree."""
    node = tree[number]
    inner = len(features)
    if node["is_leaf"]:
        while place < inner:  # nodes below a leaf always branch left
            place = 2 * place + 1
        leaves[place - inner] = round(float(node["value"]) * scale)
        return
    column = int(node["feature_idx"])
    features[place] = column
    ranks[place] = int(np.searchsorted(thresholds[column], node["num_threshold"]))
    _pad(tree, node["left"], 2 * place + 1, thresholds, scale, features, ranks, leaves)
    _pad(tree, node["right"], 2 * place + 2, thresholds, scale, features, ranks, leaves)
