import { startScriptedModel } from '../scripted-model.js';
import { McpFixture } from './mcp-fixture.js';

/**
 * The other ends of the wire, in a process of their own, so that the benchmark's CPU is the service's alone: a model that
 * makes one tool call and then says something, and MCP servers of both eras. Prints their addresses as one line of JSON.
 */
const words =
  'The answer that the tool gave is forty-two, and there is nothing more to be said about it.'.split(/(?= )/);
const model = await startScriptedModel(({ messages, tools }) => {
  const name = tools?.[0]?.function.name ?? '';
  if (messages.at(-1)?.role === 'tool') return { steps: words };
  return { steps: [{ kind: 'call', index: 0, id: 'call_1', name, arguments: '{"text":"hello"}' }] };
});
const describe = (name: string) => ({
  name,
  description: `Looks something up in the records, by a text and a number of other conditions (${name}).`,
  inputSchema: {
    type: 'object' as const,
    properties: {
      text: { type: 'string', description: 'What to look for' },
      limit: { type: 'integer', minimum: 1, maximum: 100, description: 'How many to give at most' },
      tags: { type: 'array', items: { type: 'string' } },
    },
    required: ['text'],
  },
});
const one = [describe('lookup')];
const many = Array.from({ length: 200 }, (_, n) => describe(`lookup_${n}`));
const urlOf = async (wire: 'streamable' | 'modern', tools: typeof one): Promise<string> =>
  (await McpFixture.start({ wire, tools })).url;
console.log(
  JSON.stringify({
    model: model.url,
    legacy: await urlOf('streamable', one),
    modern: await urlOf('modern', one),
    legacyMany: await urlOf('streamable', many),
    modernMany: await urlOf('modern', many),
  }),
);
process.on('disconnect', () => process.exit(0));
