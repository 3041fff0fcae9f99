import { StatusWord } from '../parts/status.js';
import { type Decidable, outcomeOf } from './decidable.js';

/** What became of an action, as shape, word and colour. */
export function Outcome({ action }: { readonly action: Decidable }) {
  const word = outcomeOf(action);
  const status =
    word === 'Cancelled' || word === 'Expired' || word === 'Denied' ? word.toLowerCase() : 'approved';
  return <StatusWord status={status} word={word} />;
}
