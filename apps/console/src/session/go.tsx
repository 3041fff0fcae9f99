import type { SessionModel } from './model.js';
import { grouped } from './text.js';

/** The number of an event, which leads there. */
export function Go({ model, to }: { readonly model: SessionModel; readonly to: number }) {
  return (
    <button type="button" class="go mono" onClick={() => model.seek(to)} aria-label={`Event ${to}`}>
      {grouped(to)}
    </button>
  );
}
