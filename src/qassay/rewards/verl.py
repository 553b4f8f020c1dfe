"""Rewards as verl loads them: by a path and a name, with settings from its configuration."""

from collections.abc import Mapping, Sequence
from typing import Any

from .reward_function import Reward

# What verl gives to a reward beside the columns of the data.
_OF_VERL = {"data_source", "solution_str", "ground_truth", "extra_info"}
_OF_VERL |= {f"{name}s" for name in _OF_VERL} | {"reward_router_address", "reward_model_tokenizer"}
_MADE: dict[str, Reward] = {}


def _reward_of(settings: Mapping[str, Any]) -> Reward:
    """The reward of settings as configuration files have them, made once."""
    key = repr(sorted(settings.items()))
    if key not in _MADE:
        _MADE[key] = Reward(**{name: _plain(value) for name, value in settings.items()})
    return _MADE[key]


def _plain(value: Any) -> Any:
    """The lists and dicts of a library for configuration files as Python's own."""
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return tuple(map(_plain, value)) if isinstance(value, Sequence) and not isinstance(value, str) else value


def compute_score(
    data_source: Any = None, solution_str: Any = None, ground_truth: Any = None, extra_info: Any = None, **settings: Any
) -> Any:
    """A reward as verl loads it: `custom_reward_function.path=pkg://qassay.rewards`, `.name=compute_score`.

    Args:
        data_source, solution_str, ground_truth, extra_info: what verl gives; also in the plural, as BatchRewardManager does.
        settings: of `Reward`, which `custom_reward_function.reward_kwargs` has.

    Returns:
        float: the reward; with parts=True a dict; in the plural a list of these.

    Example:
        >>> compute_score("nq", "<answer>in Rome</answer>", {"target": ["Rome"]}, measure="f1", parts=True)
        {'score': 0.6666666666666666, 'acc': 0.6666666666666666, 'format': 1.0}
    """
    given = {name: settings.pop(name) for name in _OF_VERL & settings.keys()}
    reward = _reward_of(settings)
    if "solution_strs" in given:
        return reward(**given)
    return reward(solution_str=solution_str, ground_truth=ground_truth, extra_info=extra_info)
