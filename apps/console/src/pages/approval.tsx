import { useEffect, useState } from 'preact/hooks';
import { ERASED_SEEN_MS, usePolled } from '../api/polled.js';
import type { ActionView } from '../api/types.js';
import type { PageProps } from '../app/routes.js';
import { Link } from '../app/link.js';
import { ApprovalCard } from '../actions/approval-card.js';
import { forgetContext } from '../actions/context.js';
import { decidableOf } from '../actions/decidable.js';
import { useKeyNames } from '../conversation/key-names.js';
import { visible } from '../conversation/visible.js';
import { CopyCurl } from '../parts/controls.js';
import { Missing, isMissing } from '../parts/missing.js';
import { PageHead } from '../parts/page-head.js';
import { Region } from '../parts/region.js';

/** One action: what an approver's link leads to. */
export default function Page({ params }: PageProps) {
  const id = params['action'] ?? '';
  const path = `/actions/${encodeURIComponent(id)}`;
  const [decided, setDecided] = useState<ActionView | null>(null);
  const polled = usePolled<ActionView>(path, ERASED_SEEN_MS);
  const nameOfKey = useKeyNames();
  const isGone = isMissing(polled);
  // What was just decided is known before it is read again; what is erased, nobody knows.
  const view = isGone ? null : (decided ?? polled.data);
  useEffect(() => {
    if (!isGone) return;
    setDecided(null);
    forgetContext(id);
  }, [isGone, id]);
  return (
    <div class="page approvals">
      <PageHead
        title={view === null ? (isGone ? 'No such approval' : 'Approval') : visible(decidableOf(view).about)}
        crumb={<Link href="/console/approvals">Approvals</Link>}
        actions={<CopyCurl call={{ path }} />}
      />
      {isGone ? (
        <Missing />
      ) : (
        <Region name="Action" polled={{ ...polled, data: view }}>
          {view !== null && <ApprovalCard view={view} nameOfKey={nameOfKey} onDecided={setDecided} isAlone />}
        </Region>
      )}
    </div>
  );
}
