import type { Content } from '../content.js';
import type { GivenItem } from './given-item.js';
import { type Told, givenMessages } from './given-messages.js';

/** What a run begins with: see `run_requested`. */
export interface RunBeginning {
  readonly message: Content;
  readonly items?: readonly GivenItem[];
}

/** What the model is told of it. */
export const messagesOf = ({ message, items }: RunBeginning): Told =>
  items === undefined
    ? { messages: [{ role: 'user', content: message }], results: [] }
    : givenMessages(items);
