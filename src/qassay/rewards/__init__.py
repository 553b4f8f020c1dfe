r"""Rewards for reinforcement learning: the measures of qassay as functions that TRL, verl and verifiers call.

    qassay.reward("exact_match")                  for the last <answer>: 1 or 0
    qassay.reward("f1", format_weight=0.1)        0.1 for a wrong answer in the format
    qassay.reward("format", layout="search")      only whether a text keeps the layout
    qassay.reward("exact_match", rules="verl")    the numbers of a published reward file

    TRL        GRPOTrainer(reward_funcs=qassay.reward("f1"), ...)
    verl       custom_reward_function.path=pkg://qassay.rewards custom_reward_function.name=compute_score
    verifiers  Rubric(funcs=[qassay.reward("f1")])

A reward is a pure function of texts: it requires no torch, uses no random numbers and prints nothing; see
`docs/rewards.md`. verl loads this package by path, so its entry point is here.
"""

from .reward_function import Reward, compute_score, reward
from .settings import LAYOUTS, RULES

__all__ = ["LAYOUTS", "RULES", "Reward", "compute_score", "reward"]
