"""Answers what a session waits for, twice, then otherwise, and prints what comes of it: `decide.py sync|async SESSION`."""

from __future__ import annotations

import asyncio
import json
import os
import sys

from annals_client import Action, Annals, AnnalsRefused, AsyncAnnals, Decision

ADDRESS = (os.environ["ANNALS_URL"], os.environ["ANNALS_KEY"])
ANSWER: Decision = {"decision": "answer", "result": {"found": 3}, "reason": "counted"}
OTHER: Decision = {"decision": "deny"}


def say(actions: list[Action], refusal: AnnalsRefused) -> None:
    print(json.dumps({"actions": actions, "refused": refusal.status}))


def decide(session: str) -> None:
    with Annals(*ADDRESS) as annals:
        [asked] = annals.actions(session=session, status="open")
        id = asked["action_id"]
        seen = [asked, annals.action(id), annals.resolve(id, ANSWER), annals.resolve(id, ANSWER)]
        try:
            annals.resolve(id, OTHER)
        except AnnalsRefused as refusal:
            say(seen, refusal)


async def decide_async(session: str) -> None:
    async with AsyncAnnals(*ADDRESS) as annals:
        [asked] = [action async for action in annals.actions(session=session, status="open")]
        id = asked["action_id"]
        seen = [asked, await annals.action(id), await annals.resolve(id, ANSWER), await annals.resolve(id, ANSWER)]
        try:
            await annals.resolve(id, OTHER)
        except AnnalsRefused as refusal:
            say(seen, refusal)


if sys.argv[1] == "sync":
    decide(sys.argv[2])
else:
    asyncio.run(decide_async(sys.argv[2]))
