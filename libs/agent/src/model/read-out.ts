import { type ContextMessage, isFileRef } from '#domain';
import type { RunRecord } from '../run/run-record.js';
import { givenMessage } from './given-message.js';
import type { ModelMessage } from './model-client.js';

type ContentsOf = Pick<RunRecord, 'session' | 'contents'>;

/** A message with all that lies in files, as the model is told it. @throws what a file throws that cannot be read */
export const readOut = (message: ContextMessage, run: ContentsOf): ModelMessage | Promise<ModelMessage> =>
  isInline(message) ? message : readFiles(message, run);

async function readFiles(message: ContextMessage, run: ContentsOf): Promise<ModelMessage> {
  const { session, contents } = run;
  if (message.role === 'user') return givenMessage(message, run);
  if (message.role !== 'tool' && message.parts !== undefined) {
    const { parts, ...told } = message;
    const { content } = await givenMessage({ role: 'user', content: '', parts }, run);
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
