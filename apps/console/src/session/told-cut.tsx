import { Link } from '../app/link.js';
import type { SessionModel } from './model.js';
import { grouped } from './text.js';

/** Where there are more deliveries than the page has read: that it is so, and where they all are. */
export function ToldCut({ model }: { readonly model: SessionModel }) {
  const { told, isCut } = model.toldSoFar.value;
  if (!isCut) return null;
  const all = `/console/deliveries?session=${encodeURIComponent(model.store.session)}`;
  return (
    <p class="meta">
      {`Told: the newest ${grouped(told.length)} deliveries. `}
      <Link href={all}>All of them</Link>
    </p>
  );
}
