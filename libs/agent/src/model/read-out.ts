import { type ContextMessage, type SessionId, isFileRef } from '#domain';
import type { ContentStore } from '#vault';
import { givenMessage } from './given-message.js';
import type { ModelMessage } from './model-client.js';

/** In whose files the contents lie. */
interface Place {
  readonly session: SessionId;
  readonly contents: ContentStore;
}

/** A message with all that lies in files, as the model is told it. @throws what a file throws that cannot be read */
export const readOut = (message: ContextMessage, place: Place): ModelMessage | Promise<ModelMessage> =>
  isInline(message) ? message : readFiles(message, place);

async function readFiles(message: ContextMessage, place: Place): Promise<ModelMessage> {
  const { session, contents } = place;
  if (message.role === 'user') return givenMessage(message, place);
  if (message.role !== 'tool' && message.parts !== undefined) {
    const { parts, ...told } = message;
    const { content } = await givenMessage({ role: 'user', content: '', parts }, place);
    return { ...told, content } as ModelMessage;
  }
  const content = await contents.textOrNote(session, message.content);
  if (message.role !== 'assistant') return { ...message, content };
  const { toolCalls: calls, provider } = message;
  return {
    role: 'assistant',
    content,
    ...(calls === undefined ? {} : { toolCalls: await contents.withArguments(session, calls) }),
    ...(provider === undefined ? {} : { provider: await contents.text(session, provider) }),
  };
}

const isInline = (message: ContextMessage): message is ContextMessage & ModelMessage =>
  !isFileRef(message.content) &&
  !('parts' in message) &&
  !(message.role === 'assistant' && hasFiles(message));

const hasFiles = ({
  provider = '',
  toolCalls = [],
}: Extract<ContextMessage, { role: 'assistant' }>): boolean =>
  isFileRef(provider) || toolCalls.some((call) => isFileRef(call.arguments));
