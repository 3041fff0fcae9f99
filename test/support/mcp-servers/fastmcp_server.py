"""A server made of FastMCP (2 or 4), at the path /mcp of the port that it is given."""

import sys

from fastmcp import Context, FastMCP
from fastmcp.exceptions import ToolError

server = FastMCP("shop")
calls = 0


@server.tool(annotations={"readOnlyHint": True})
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


@server.tool
async def work(steps: int, context: Context) -> str:
    """Works for some time, and says how far it is."""
    for step in range(steps):
        await context.report_progress(step + 1, steps)
    return "done"


@server.tool
def sell(product: str) -> dict[str, int]:
    """Sells a piece, and says how often it did so."""
    global calls
    calls += 1
    return {"sold": calls}


@server.tool
def fail() -> str:
    """Cannot be done."""
    raise ToolError("no such row")


server.run(transport="http", host="127.0.0.1", port=int(sys.argv[1]), path="/mcp")
