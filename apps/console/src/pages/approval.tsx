import { useState } from 'preact/hooks';
import { usePolled } from '../api/polled.js';
import type { ActionView } from '../api/types.js';
import type { PageProps } from '../app/routes.js';
import { Link } from '../app/link.js';
import { ApprovalCard } from '../actions/approval-card.js';
import { decidableOf } from '../actions/decidable.js';
import { useKeyNames } from '../conversation/key-names.js';
import { visible } from '../conversation/visible.js';
import { CopyCurl } from '../parts/controls.js';
import { PageHead } from '../parts/page-head.js';
import { Region } from '../parts/region.js';

const EVERY_MS = 2000;

/** One action: what an approver's link leads to. */
export default function Page({ params }: PageProps) {
  const id = params['action'] ?? '';
  const path = `/actions/${encodeURIComponent(id)}`;
  const [decided, setDecided] = useState<ActionView | null>(null);
  const polled = usePolled<ActionView>(path, decided === null ? EVERY_MS : null);
  const nameOfKey = useKeyNames();
  const view = decided ?? polled.data;
  const isMissing = polled.problem?.status === 404;
  return (
    <div class="page approvals">
      <PageHead
        title={
          view === null ? (isMissing ? 'No such approval' : 'Approval') : visible(decidableOf(view).about)
        }
        crumb={<Link href="/console/approvals">Approvals</Link>}
        actions={<CopyCurl call={{ path }} />}
      />
      {isMissing ? (
        <p class="lead">It does not exist, or belongs to another project.</p>
      ) : (
        <Region name="Action" polled={{ ...polled, data: view }}>
          {view !== null && <ApprovalCard view={view} nameOfKey={nameOfKey} onDecided={setDecided} isAlone />}
        </Region>
      )}
    </div>
  );
}
