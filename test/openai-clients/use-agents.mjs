import { Agent, OpenAIProvider, Runner, hostedMcpTool, setTracingDisabled, tool } from '@openai/agents';
import OpenAI from 'openai';

/** The Agents SDK against the service: a function, a stream, and a tool server that asks. Prints a JSON line for each. */
setTracingDisabled(true);
const { ANNALS_URL, ANNALS_KEY, SHOP_URL, MESSAGE_FUNCTION, MESSAGE_STREAM, MESSAGE_SERVER } = process.env;
const openAIClient = new OpenAI({ baseURL: `${ANNALS_URL}/v1`, apiKey: ANNALS_KEY });
const runner = new Runner({ modelProvider: new OpenAIProvider({ openAIClient }), tracingDisabled: true });
const say = (value) => console.log(JSON.stringify(value));

const lookUp = tool({
  name: 'look_up',
  description: 'Looks a word up',
  parameters: {
    type: 'object',
    properties: { word: { type: 'string' } },
    required: ['word'],
    additionalProperties: true,
  },
  strict: false,
  execute: ({ word }) => `the meaning of ${word}`,
});
const agent = new Agent({ name: 'reader', instructions: 'Be kind.', model: 'base', tools: [lookUp] });
const called = await runner.run(agent, MESSAGE_FUNCTION);
say({ output: called.finalOutput, responses: called.rawResponses.map(({ responseId }) => responseId) });

const streamed = await runner.run(agent, MESSAGE_STREAM, { stream: true });
let text = '';
for await (const piece of streamed.toTextStream()) text += piece;
await streamed.completed;
say({ output: streamed.finalOutput, text });

const shop = hostedMcpTool({ serverLabel: 'shop', serverUrl: SHOP_URL, requireApproval: 'always' });
const seller = new Agent({ name: 'seller', model: 'base', tools: [shop] });
let sold = await runner.run(seller, MESSAGE_SERVER);
const asked = sold.interruptions.map(({ name }) => name);
for (const interruption of sold.interruptions) sold.state.approve(interruption);
sold = await runner.run(seller, sold.state);
say({ output: sold.finalOutput, asked, responses: sold.rawResponses.map(({ responseId }) => responseId) });
