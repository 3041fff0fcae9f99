import { type Content, type GivenItem, type GivenPart, Problem, type SessionId, isFileRef } from '#domain';
import type { ContentStore } from '#vault';

/** Bytes of JSON of given items above which texts go into files. */
const MAX_INLINE_BYTES = 96 * 1024;
/** Of what is left then: sealed, they become a third more, and an event may have 256 KiB, with its run's settings. */
const MAX_BYTES = 160 * 1024;
/** Shorter texts are not worth a file. */
const MIN_FILE_CHARS = 200;

/**
 * The items as an event can hold them: the longest texts lie in the session's files, as many as it takes.
 * @throws Problem payload_too_large: what must stand in the event has no room there
 */
export async function storeItems(
  contents: ContentStore,
  session: SessionId,
  items: readonly GivenItem[],
): Promise<readonly GivenItem[]> {
  let left = sizeOf(items) - MAX_INLINE_BYTES;
  if (left <= 0) return items;
  const stored = new Map<string, Content>();
  const longest = [...new Set(items.flatMap(textsIn))].sort((a, b) => b.length - a.length);
  for (const text of longest) {
    if (left <= 0 || text.length < MIN_FILE_CHARS) break;
    stored.set(text, await contents.toFile(session, text));
    left -= Buffer.byteLength(JSON.stringify(text)) - FILE_REF_BYTES;
  }
  const slim = items.map((item) => mapped(item, (text) => stored.get(text as string) ?? text));
  if (sizeOf(slim) > MAX_BYTES)
    throw new Problem(
      'payload_too_large',
      'the items are too many: without their texts of 200 characters and more they may have 160 KiB of JSON',
    );
  return slim;
}

/** The items with all of their texts. */
export async function loadItems(
  contents: ContentStore,
  session: SessionId,
  items: readonly GivenItem[],
): Promise<readonly GivenItem[]> {
  const texts = new Map<Content, string>();
  const found = items.flatMap(contentsIn).filter(isFileRef);
  for (const content of found) texts.set(content, await contents.text(session, content));
  return items.map((item) => mapped(item, (content) => texts.get(content) ?? content));
}

const FILE_REF_BYTES = 180;

const sizeOf = (items: readonly GivenItem[]): number => Buffer.byteLength(JSON.stringify(items));

const textsIn = (item: GivenItem): readonly string[] =>
  contentsIn(item).filter((content) => typeof content === 'string');

function contentsIn(item: GivenItem): readonly Content[] {
  const found: Content[] = [];
  mapped(item, (content) => {
    found.push(content);
    return content;
  });
  return found;
}

/** The item with other contents. */
function mapped(item: GivenItem, to: (text: Content) => Content): GivenItem {
  switch (item.kind) {
    case 'message':
      return { ...item, parts: item.parts.map((part) => mappedPart(part, to)) };
    case 'result':
      return { ...item, output: to(item.output) };
    case 'server_call':
      return { ...item, arguments: mappedArguments(item.arguments, to), output: to(item.output) };
    case 'call':
    case 'question':
      return { ...item, arguments: mappedArguments(item.arguments, to) };
    case 'decision':
      return item;
  }
}

/** What is no JSON stays where it is: whoever shows the call takes what lies in a file for JSON. */
const mappedArguments = (content: Content, to: (text: Content) => Content): Content =>
  typeof content === 'string' && !isJson(content) ? content : to(content);

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const mappedPart = (part: GivenPart, to: (text: Content) => Content): GivenPart =>
  part.kind === 'text' ? { ...part, text: to(part.text) } : { ...part, url: to(part.url) };
