import { describe, expect, it } from '@jest/globals';
import { ContentStore, MemoryFileStore } from '#vault';
import { DraftSink } from '../../../../test/support/draft-sink.js';
import { BlockWriter } from './block-writer.js';
import type { TextType } from './journal-entry.js';

const contents = new ContentStore(new MemoryFileStore());

async function blocks(isStreaming: boolean, ...pieces: readonly (readonly [TextType, string])[]) {
  const sink = new DraftSink();
  const writer = new BlockWriter(sink, contents, 'ses_1', isStreaming);
  for (const [type, text] of pieces) await writer.add(type, text);
  const before = [...sink.lines];
  await writer.close();
  return { before, all: sink.lines };
}

const think = (text: string) => ['agent_thinking', text] as const;
const say = (text: string) => ['agent_response', text] as const;

describe('a writer of blocks', () => {
  it('passes each piece on where tokens are streamed', async () => {
    const { before, all } = await blocks(true, think('h'), think('m'), say('6 x'), say(' 7'));
    expect(before).toEqual([
      'agent_thinking_start',
      'agent_thinking h',
      'agent_thinking m',
      'agent_response_start',
      'agent_response 6 x',
      'agent_response  7',
    ]);
    expect(all).toEqual(before);
  });

  it('otherwise writes each block as a whole, when it is complete', async () => {
    const { before, all } = await blocks(false, think('h'), think('m'), say('6 x'), say(' 7'));
    expect(before).toEqual(['agent_thinking_start', 'agent_thinking hm', 'agent_response_start']);
    expect(all).toEqual([...before, 'agent_response 6 x 7']);
  });

  it('opens a new block where the text goes on after another kind', async () => {
    const { all } = await blocks(false, say('a'), think('b'), say('c'));
    expect(all).toEqual([
      'agent_response_start',
      'agent_response a',
      'agent_thinking_start',
      'agent_thinking b',
      'agent_response_start',
      'agent_response c',
    ]);
  });

  it('writes nothing where nothing came, nor when it is closed twice', async () => {
    const sink = new DraftSink();
    const writer = new BlockWriter(sink, contents, 'ses_1', false);
    await writer.close();
    await writer.add('agent_response', 'a');
    await writer.close();
    await writer.close();
    expect(sink.lines).toEqual(['agent_response_start', 'agent_response a']);
  });

  it('keeps a block that is too large for an event in a file', async () => {
    const { all } = await blocks(false, say('x'.repeat(100_000)), say('y'.repeat(100_000)));
    expect(all).toEqual(['agent_response_start', 'agent_response file of 200000 bytes']);
  });
});
