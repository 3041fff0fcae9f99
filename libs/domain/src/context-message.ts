import type { Content } from './content.js';
import type { GivenPart } from './given/given-item.js';
import type { ResultFile } from './result-file.js';
import type { TurnToolCall } from './turn-tool-call.js';

/** A message of the model's context; each earlier message keeps its role. */
export type ContextMessage =
  | { readonly role: 'system'; readonly content: Content }
  | {
      readonly role: 'user';
      readonly content: Content;
      /** Where it is more than one text: what the model is handed instead. */
      readonly parts?: readonly GivenPart[];
    }
  | {
      readonly role: 'assistant';
      readonly content: Content;
      readonly toolCalls?: readonly TurnToolCall[];
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
