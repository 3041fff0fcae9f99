"""Starts a run, or takes up one, and prints each event as it comes: `follow.py sync|async MESSAGE`."""

from __future__ import annotations

import asyncio
import json
import os
import sys

from annals_client import Annals, AsyncAnnals

ADDRESS = (os.environ["ANNALS_URL"], os.environ["ANNALS_KEY"])


def say(value: object) -> None:
    print(json.dumps(value), flush=True)


def follow(message: str) -> None:
    with Annals(*ADDRESS) as annals:
        run = annals.start({"message": message, "streaming_tokens": True})
        for event in run.events():
            say(event)
        last = annals.run(run.id).wait()
        say({"ended": last, "again": list(run.events(after=last["last_event_id"])), "cancelled": run.cancel()})


async def follow_async(message: str) -> None:
    async with AsyncAnnals(*ADDRESS) as annals:
        run = await annals.start({"message": message, "streaming_tokens": True})
        async for event in run.events():
            say(event)
        last = await annals.run(run.id).wait()
        again = [event async for event in run.events(after=last["last_event_id"])]
        say({"ended": last, "again": again, "cancelled": await run.cancel()})


if sys.argv[1] == "sync":
    follow(sys.argv[2])
else:
    asyncio.run(follow_async(sys.argv[2]))
