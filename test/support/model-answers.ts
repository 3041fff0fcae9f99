import { readFileSync } from 'node:fs';
import type { ModelPiece } from '#agent';
import { TurnReader } from '../../libs/openai-model/src/turn-reader.js';

export const options = { apiKey: '', server: 's', model: 'm' };

type End = Extract<ModelPiece, { kind: 'end' }>;

/** What is said in an answer that comes in pieces of so many bytes. */
export function read(answer: string, size = Infinity, more: object = {}) {
  const reader = new TurnReader({ ...options, ...more });
  const bytes = Buffer.from(answer);
  const pieces: ModelPiece[] = [];
  for (let at = 0; at < bytes.length && !reader.isDone; at += Math.min(size, bytes.length))
    pieces.push(...reader.feed(bytes.subarray(at, at + size)));
  reader.close();
  pieces.push(...reader.feed(Buffer.alloc(0)), ...reader.end(0));
  const end = pieces.at(-1) as End;
  let text = '';
  let thinking = '';
  for (const piece of pieces) {
    if (piece.kind === 'text') text += piece.text;
    if (piece.kind === 'thinking') thinking += piece.text;
    if (piece.kind === 'was_thinking') {
      thinking += text;
      text = '';
    }
  }
  return { text, thinking, end, beginsInside: reader.beginsInside };
}

/** However it is cut, it says the same. */
export function said(answer: string, more: object = {}) {
  const whole = read(answer, Infinity, more);
  const told = JSON.stringify(whole);
  for (const size of [1, 7]) {
    const parts = JSON.stringify(read(answer, size, more));
    if (parts !== told) throw new Error(`in pieces of ${size} bytes it says ${parts}, as a whole ${told}`);
  }
  return whole;
}

export const chunk = (delta: object, reason: unknown = null) =>
  JSON.stringify({ choices: [{ index: 0, delta, finish_reason: reason }] });
export const sse = (...data: string[]) => data.map((one) => `data: ${one}\n\n`).join('');
export const whole = (message: object, reason: unknown = 'stop') => ({
  object: 'chat.completion',
  choices: [{ index: 0, message, finish_reason: reason }],
});
export const stop = chunk({}, 'stop');
export const a = chunk({ content: 'a' });
export const b = chunk({ content: 'b' });
export const DONE = '[DONE]';
export const fixture = (name: string) => readFileSync(`test/fixtures/model-answers/${name}`, 'utf8');
