"""OpenAI's client for Python and this service: pip install openai, then python docs/examples/openai_client.py"""

import os

from openai import OpenAI

url = os.environ.get("ANNALS_URL", "http://localhost:3000")
client = OpenAI(base_url=f"{url}/v1", api_key=os.environ["ANNALS_KEY"])

# A conversation is a session: what is asked in it goes on at its end.
talk = client.conversations.create(metadata={"topic": "sums"})
first = client.responses.create(model="base", input="What is 6 x 7?", conversation=talk.id)
print(first.output_text)

# Run on the server; the stream can be followed from any record, at any time.
slow = client.responses.create(model="base", input="What is 7 x 8?", conversation=talk.id, background=True)
for event in client.responses.retrieve(slow.id, stream=True, starting_after=1):
    if event.type == "response.output_text.done":
        print(event.text)

for item in client.conversations.items.list(talk.id, order="asc"):
    print(item.role, item.content[0].text)

chat = client.chat.completions.create(model="flash", messages=[{"role": "user", "content": "What is 8 x 9?"}])
print(chat.choices[0].message.content)
