"""OpenAI's own client for Python against the service: prints a JSON line for each thing that it did."""

import json
import os

from openai import OpenAI, BadRequestError

client = OpenAI(base_url=os.environ["ANNALS_URL"] + "/v1", api_key=os.environ["ANNALS_KEY"])
messages = json.loads(os.environ["MESSAGES"])
tools = [{"type": "function", "name": "look_up", "parameters": {"type": "object"}, "strict": False}]


def say(**values):
    print(json.dumps(values), flush=True)


plain = client.responses.create(model="base", input=messages["plain"])
say(text=plain.output_text, status=plain.status)

with client.responses.stream(model="base", input=messages["stream"]) as stream:
    types = [event.type for event in stream]
    say(text=stream.get_final_response().output_text, first=types[0], last=types[-1])

first = client.responses.create(model="base", input=messages["tool"], tools=tools)
call = next(item for item in first.output if item.type == "function_call")
second = client.responses.create(
    model="base",
    previous_response_id=first.id,
    tools=tools,
    input=[{"type": "function_call_output", "call_id": call.call_id, "output": "21"}],
)
say(text=second.output_text, same=second.id.rsplit("_", 1)[0] == first.id.rsplit("_", 1)[0])

talk = client.conversations.create(metadata={"topic": "python"})
said = client.responses.create(model="base", input=messages["talk"], conversation=talk.id)
items = client.conversations.items.list(talk.id, order="asc")
say(text=said.output_text, items=[item.type for item in items])

chat = client.chat.completions.create(
    model="base", messages=[{"role": "user", "content": messages["chat"]}], stream=True
)
say(text="".join(chunk.choices[0].delta.content or "" for chunk in chat if chunk.choices))

try:
    client.responses.create(model="base", input="x", prompt={"id": "p"})
except BadRequestError as error:
    say(param=error.param, code=error.code, request=error.request_id is not None)
