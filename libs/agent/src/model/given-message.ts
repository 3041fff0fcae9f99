import type { ContextMessage, GivenPart, SessionId } from '#domain';
import type { ContentStore } from '#vault';
import type { ModelMessage, ModelPart } from './model-client.js';

/** A message that a request brought: its parts as they were given, or one text. */
export async function givenMessage(
  { role, content, parts }: Extract<ContextMessage, { role: 'user' }>,
  { session, contents }: { readonly session: SessionId; readonly contents: ContentStore },
): Promise<ModelMessage> {
  if (parts === undefined) return { role, content: await contents.textOrNote(session, content) };
  const partOf = async (part: GivenPart): Promise<ModelPart> => {
    if (part.kind === 'text') return { kind: 'text', text: await contents.textOrNote(session, part.text) };
    const detail = part.detail === undefined ? {} : { detail: part.detail };
    return { kind: 'image', url: await contents.text(session, part.url), ...detail };
  };
  const read = await Promise.all(parts.map(partOf));
  const text = read.map((part) => (part.kind === 'text' ? part.text : '')).join('');
  return { role, content: text, parts: read };
}
