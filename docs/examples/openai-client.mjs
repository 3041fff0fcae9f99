// OpenAI's client for JavaScript and this service: node docs/examples/openai-client.mjs
import OpenAI from 'openai';

const client = new OpenAI({
  baseURL: `${process.env.ANNALS_URL ?? 'http://localhost:3000'}/v1`,
  apiKey: process.env.ANNALS_KEY,
});

// A stream, of which every word is on the log before it comes.
const stream = client.responses.stream({ model: 'base', input: 'What is 6 x 7?' });
for await (const event of stream)
  if (event.type === 'response.output_text.delta') process.stdout.write(event.delta);
const first = await stream.finalResponse();
console.log();

// Two answers to one question are two branches: the second goes on in a fork.
const more = { model: 'base', previous_response_id: first.id };
const left = await client.responses.create({ ...more, input: 'What is 7 x 8?' });
const right = await client.responses.create({ ...more, input: 'What is 8 x 9?' });
console.log(left.output_text, '|', right.output_text);

// A function of ours: the run waits for it, over restarts, and goes on with the answer.
const parameters = { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] };
const tools = [
  { type: 'function', name: 'look_up', description: 'Looks a word up', parameters, strict: true },
];
const input = 'Please look_up {"word": "annals"}.';
const asking = await client.responses.create({ model: 'base', input, tools });
const answers = asking.output
  .filter((item) => item.type === 'function_call')
  .map(({ call_id, arguments: given }) => ({
    type: 'function_call_output',
    call_id,
    output: `${JSON.parse(given).word}: a record of events, year by year`,
  }));
const answered = await client.responses.create({
  model: 'base',
  input: answers,
  tools,
  previous_response_id: asking.id,
});
console.log(answered.output_text);
