import type { Content } from '../content.js';
import type { ContextMessage } from '../context-message.js';
import type { GivenItem } from './given-item.js';
import { givenMessages } from './given-messages.js';

/** What a run begins with: see `run_requested`. */
export interface RunBeginning {
  readonly message: Content;
  readonly items?: readonly GivenItem[];
}

/** What the model is told of it. */
export const messagesOf = ({ message, items }: RunBeginning): readonly ContextMessage[] =>
  items === undefined ? [{ role: 'user', content: message }] : givenMessages(items);
