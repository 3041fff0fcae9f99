import { type ChatRequest, textOf } from './chat-request.js';
import { cut } from './tool-report.js';

/** How Annals asks for a summary of what does not fit any more. */
const BEGINNING = /^Write a summary of this conversation /;
const WORDS = /\bIt has (\d{1,7}) words at most\b/;
const HEAD = 'Summary of the conversation so far.';
const CHARS_OF_WORD = 6;
/** Messages of the user that are named, the newest ones, and characters of each. */
const NAMED = 8;
const MAX_CHARS = 80;

/** A summary, where the last message asks for one: what the user said, and what an earlier summary says. */
export function summaryIn({ messages }: ChatRequest): string | undefined {
  const asked = messages.at(-1);
  if (asked?.role !== 'user' || !BEGINNING.test(textOf(asked))) return undefined;
  const room = Number(WORDS.exec(textOf(asked))?.[1] ?? 100) * CHARS_OF_WORD;
  const said = messages.slice(0, -1).filter(({ role }) => role === 'user');
  const earlier = said.filter((message) => textOf(message).startsWith(HEAD)).map(textOf);
  const asks = said.filter((message) => !textOf(message).startsWith(HEAD)).map(textOf);
  const named = asks.slice(-NAMED).map((text) => `The user said: "${cut(text, MAX_CHARS)}".`);
  const before = earlier.map((text) => text.slice(HEAD.length).trim()).filter((text) => text !== '');
  return cut([HEAD, ...before, ...named].join(' '), room);
}
