import { type Content, lengthOf } from './content.js';
import type { GivenPart } from './given/given-item.js';
import type { ResultFile } from './result-file.js';
import type { TurnToolCall } from './turn-tool-call.js';

/** A call as the model's context holds it: what a request brought may lie in a file. */
export interface ContextCall extends Omit<TurnToolCall, 'arguments'> {
  readonly arguments: Content;
}

/** A message of the model's context; each earlier message keeps its role. */
export type ContextMessage =
  | {
      readonly role: 'system';
      readonly content: Content;
      /** Where it is several texts, some of them in files: it is all of them, with nothing between. */
      readonly parts?: readonly GivenPart[];
    }
  | {
      readonly role: 'user';
      readonly content: Content;
      /** Where it is more than one text: what the model is handed instead. */
      readonly parts?: readonly GivenPart[];
    }
  | {
      readonly role: 'assistant';
      readonly content: Content;
      /** As above. */
      readonly parts?: readonly GivenPart[];
      readonly toolCalls?: readonly ContextCall[];
      /** What its server sent besides: see `model_turn_completed`. */
      readonly provider?: Content;
    }
  | {
      readonly role: 'tool';
      readonly callId: string;
      readonly content: Content;
      /** What a model that can see is shown besides; absent: nothing. */
      readonly images?: readonly ResultFile[];
    };

export type ToolMessage = Extract<ContextMessage, { role: 'tool' }>;

/** What the agent is told of a call whose result nobody knows. */
export const OUTCOME_UNKNOWN =
  'outcome unknown: the run was interrupted while this call was under way, so it may or may not have taken effect';

/** Of one that was not made, because somebody has to release it or to carry it out, and has not. */
export const NOT_MADE = 'the call was not made: nobody has decided on it';

/** What the model is told of a call. */
export const toolMessage = (
  callId: string,
  content: Content,
  images: readonly ResultFile[] = [],
): ContextMessage => ({ role: 'tool', callId, content, ...(images.length === 0 ? {} : { images }) });

/** What an image counts, in the budget of the context and where the server does not count: about 1,500 tokens, as a large one. */
export const IMAGE_CHARS = 6_000;

/** Characters that a message counts in the budget of the context. */
export function sizeOf(message: ContextMessage): number {
  const content = lengthOfSaid(message);
  switch (message.role) {
    case 'system':
    case 'user':
      return content;
    case 'tool':
      return content + IMAGE_CHARS * (message.images ?? []).length;
    case 'assistant': {
      const { toolCalls = [], provider = '' } = message;
      return toolCalls.reduce(
        (sum, call) => sum + call.name.length + lengthOf(call.arguments),
        content + lengthOf(provider),
      );
    }
  }
}

const lengthOfSaid = (message: ContextMessage): number =>
  message.role === 'tool' || message.parts === undefined
    ? lengthOf(message.content)
    : sizeOfParts(message.parts);

/** Texts that lie in files count like any other. */
const sizeOfParts = (parts: readonly GivenPart[]): number =>
  parts.reduce((sum, part) => sum + (part.kind === 'text' ? lengthOf(part.text) : IMAGE_CHARS), 0);

export const sizeOfAll = (messages: readonly ContextMessage[]): number =>
  messages.reduce((sum, message) => sum + sizeOf(message), 0);
