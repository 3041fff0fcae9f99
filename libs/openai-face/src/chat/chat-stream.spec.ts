import { describe, expect, it } from '@jest/globals';
import type { Draft } from '#domain';
import { RUN, begun } from '../../../../test/support/face-tape.js';
import {
  cancelled,
  completed,
  response,
  responseStart,
  turn,
  turnFailed,
} from '../../../../test/support/session-tape.js';
import { RunFace } from '../run-face.js';
import { ChatStream } from './chat-stream.js';

interface Chunk {
  readonly choices?: readonly {
    readonly delta: { readonly content?: string };
    finish_reason: string | null;
  }[];
  readonly error?: { readonly message: string };
}

/** What a client has of the stream: the text, and how it ended. */
function heardOf(...drafts: readonly Draft[]): { readonly text: string; readonly end: string } {
  const chunks: Chunk[] = [];
  const chat = new ChatStream(false, (chunk) => void chunks.push(chunk));
  const face = new RunFace('ses_1', () => (event, passage) => chat.hear(event, passage));
  for (const event of begun(...drafts).events) if (event.meta.run === RUN) face.push(event);
  const text = chunks.map(({ choices = [] }) => choices[0]?.delta.content ?? '').join('');
  const last = chunks.at(-1);
  return { text, end: last?.error?.message.split(':')[0] ?? String(last?.choices?.[0]?.finish_reason) };
}

const said = (...pieces: string[]): Draft[] => [responseStart, ...pieces.map(response)];

it('an answer is its text, and why it ended', () => {
  expect(heardOf(...said('a', 'b'), turn(), completed)).toEqual({ text: 'ab', end: 'stop' });
});

describe('where the model broke off and was asked again', () => {
  const broken = [...said('Half a ', 'sentence'), turnFailed];

  it('what it says once more is not sent twice', () => {
    const again = [...said('Half', ' a sentence here', ' and more'), turn(), completed];
    expect(heardOf(...broken, ...again)).toEqual({ text: 'Half a sentence here and more', end: 'stop' });
    expect(heardOf(...broken, ...broken, ...again)).toEqual({
      text: 'Half a sentence here and more',
      end: 'stop',
    });
    expect(heardOf(...broken, ...said('Half a sentence'), turn(), completed).end).toBe('stop');
  });

  it.each([
    ['something else', said('Another')],
    ['less', said('Half')],
    ['nothing', []],
  ])('and says %s, the stream ends with an error: nothing can be taken back', (_, again) => {
    const { text, end } = heardOf(...broken, ...again, turn(), completed);
    expect({ text, end }).toEqual({ text: 'Half a sentence', end: 'model_broke_off' });
  });

  it('texts of the turns before it stand', () => {
    const first = [...said('One. '), turn()];
    const again = [...said('Half a sentence.'), turn(), completed];
    expect(heardOf(...first, ...broken, ...again)).toEqual({ text: 'One. Half a sentence.', end: 'stop' });
  });
});

it('half an answer of a run that was cancelled is not told as a whole one', () => {
  expect(heardOf(...said('Half'), cancelled)).toEqual({ text: 'Half', end: 'cancelled' });
});
