"""Calls every tool of a service by the Python SDK (pypi mcp) and prints what came, as one JSON object.

Usage: call_annals.py URL KEY MODE, MODE being "auto" or "legacy".
"""

import asyncio
import json
import sys

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client


async def main(url: str, key: str, mode: str) -> None:
    told: list[str] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        told.append(message or "")

    async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {key}"}, timeout=60) as http:
        async with Client(streamable_http_client(url, http_client=http), mode=mode) as client:
            tools = await client.list_tools()
            ran = await client.call_tool(
                "run_agent", {"message": "What is 6 x 7?"}, progress_callback=note
            )
            run = ran.structured_content
            read = await client.call_tool("read_run", {"run_id": run["run_id"]})
            session = await client.call_tool("read_session", {"session": run["session"]})
            wrong = await client.call_tool("run_agent", {})
            print(
                json.dumps(
                    {
                        "tools": [tool.name for tool in tools.tools],
                        "text": ran.content[0].text,
                        "run": run,
                        "read": read.structured_content,
                        "messages": session.structured_content["messages"],
                        "wrong": [wrong.is_error, wrong.content[0].text],
                        "told": told,
                    }
                )
            )


asyncio.run(main(*sys.argv[1:4]))
