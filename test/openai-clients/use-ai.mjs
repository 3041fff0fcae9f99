import { createOpenResponses } from '@ai-sdk/open-responses';
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, jsonSchema, stepCountIs, streamText, tool } from 'ai';

/** The AI SDK against the service: Responses, Chat Completions and Open Responses. Prints a JSON line for each. */
const { ANNALS_URL, ANNALS_KEY, MESSAGES } = process.env;
const messages = JSON.parse(MESSAGES);
const openai = createOpenAI({ baseURL: `${ANNALS_URL}/v1`, apiKey: ANNALS_KEY });
const open = createOpenResponses({ name: 'annals', url: `${ANNALS_URL}/v1/responses`, apiKey: ANNALS_KEY });
const say = (value) => console.log(JSON.stringify(value));

const tools = {
  look_up: tool({
    description: 'Looks a word up',
    inputSchema: jsonSchema({ type: 'object', properties: { word: { type: 'string' } }, required: ['word'] }),
    execute: ({ word }) => `the meaning of ${word}`,
  }),
};
const stopWhen = stepCountIs(5);

/** @param {string} name @param {import('ai').LanguageModel} model */
async function use(name, model) {
  const generated = await generateText({ model, tools, stopWhen, prompt: messages[`${name}-tool`] });
  const ids = generated.steps.map(({ response }) => response.id);
  say({
    name,
    text: generated.text,
    steps: generated.steps.length,
    ids,
    usage: generated.usage.totalTokens > 0,
  });
  const streamed = streamText({
    model,
    tools,
    stopWhen,
    prompt: messages[`${name}-stream`],
    onError: ({ error }) => say({ name, error: String(error) }),
  });
  let text = '';
  for await (const part of streamed.textStream) text += part;
  say({ name, text, finish: await streamed.finishReason });
}

await use('responses', openai.responses('base'));
await use('chat', openai.chat('base'));
await use('open', open('base'));
