import { useState } from 'preact/hooks';
import { Bdi } from '../conversation/bdi.js';
import { api } from '../api/client.js';
import { usePoll } from '../api/polled.js';
import { segment } from '../lists/path.js';
import { Button, Copy, Field, Select } from '../parts/controls.js';
import { Dialog } from '../parts/dialog.js';
import { Region } from '../parts/region.js';
import { Time } from '../parts/values.js';
import type { KeyView, SignInLink } from './key.js';
import { Shown } from './new-key.js';

/** Where a link leads those who open it. */
const PLACES = [
  ['/console', 'The start'],
  ['/console/approvals', 'Approvals'],
  ['/console/sessions', 'Sessions'],
  ['/console/deliveries', 'Deliveries'],
] as const;
type Place = (typeof PLACES)[number][0];

interface SignInLinkProps {
  readonly of: KeyView;
  readonly onClose: () => void;
}

/** Makes a link that signs in once with a key, without showing the key. */
export function SignInLinkDialog({ of: { id, name }, onClose }: SignInLinkProps) {
  const [to, setTo] = useState<Place>('/console');
  const made = usePoll<SignInLink>(
    `${id} ${to}`,
    () => api.post<SignInLink>(`/api-keys/${segment(id)}/sign-in-links`, { to }),
    null,
  );
  return (
    <Dialog title="Sign-in link" onClose={onClose}>
      <p>
        Whoever opens it first is signed in as <Bdi text={name} /> for a day, and needs no key. It works once:
        a link is the key, so hand it to one person.
      </p>
      <Select label="It opens" value={to} options={PLACES} onChange={setTo} />
      <Region name="Link" polled={made} rows={2}>
        <Field label="Link">{(field) => <Shown id={field} text={made.data?.url ?? ''} />}</Field>
        <p class="meta">
          It ends <Time at={made.data?.expires_at ?? null} full />.
        </p>
        <div class="do end">
          <Copy text={made.data?.url ?? ''} small={false}>
            Copy link
          </Copy>
          <Button kind="pri" onClick={onClose}>
            Close
          </Button>
        </div>
      </Region>
    </Dialog>
  );
}
