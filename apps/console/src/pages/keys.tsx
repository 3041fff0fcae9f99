import { useState } from 'preact/hooks';
import { useList } from '../api/list.js';
import { utc } from '../app/preferences.js';
import { DeleteKey } from '../keys/delete-key.js';
import type { KeyView } from '../keys/key.js';
import { lastUsed } from '../keys/last-used.js';
import { NewKeyDialogs } from '../keys/new-key.js';
import { SignInLinkDialog } from '../keys/sign-in-link.js';
import { Button, CopyCurl } from '../parts/controls.js';
import { dayAndTime } from '../parts/format.js';
import { PageHead } from '../parts/page-head.js';
import { Empty, LoadMore, Region } from '../parts/region.js';
import { type Column, Table } from '../parts/table.js';
import { Age, Said, useNow } from '../parts/values.js';

type Asked = { readonly what: 'link' | 'delete'; readonly key: KeyView } | { readonly what: 'new' };

/** The keys of the project, and how people get in without handling one. */
export default function Page() {
  const list = useList<KeyView>('/api-keys');
  const [asked, setAsked] = useState<Asked | null>(null);
  const close = (): void => setAsked(null);
  return (
    <div class="page">
      <PageHead
        title="Keys"
        actions={
          <>
            <CopyCurl call={{ path: '/api-keys' }} />
            <Button kind="pri" icon="plus" onClick={() => setAsked({ what: 'new' })}>
              New key
            </Button>
          </>
        }
      />
      <Region name="Keys" polled={list} empty={list.data?.length === 0 ? <NoKeys /> : null}>
        <Table name="Keys" columns={columnsOf(setAsked)} rows={list.data ?? []} keyOf={({ id }) => id} />
        <LoadMore more={list.loadMore} loading={list.loading} />
      </Region>
      {asked?.what === 'new' && <NewKeyDialogs onClose={close} onCreated={list.refresh} />}
      {asked?.what === 'link' && <SignInLinkDialog of={asked.key} onClose={close} />}
      {asked?.what === 'delete' && <DeleteKey of={asked.key} onClose={close} onDeleted={list.refresh} />}
    </div>
  );
}

const columnsOf = (ask: (asked: Asked) => void): readonly Column<KeyView>[] => [
  { name: 'Name', grow: true, cell: ({ name }) => <Said text={name} /> },
  { name: 'Id', class: 'tight', cell: ({ id }) => <Said text={id} class="mono" /> },
  { name: 'Scopes', class: 'tight', cell: ({ scopes }) => scopes.join(', ') },
  { name: 'Project', class: 'tight', cell: ({ project }) => <Said text={project} /> },
  { name: 'Created', cell: ({ created_at: at }) => <Age at={at} /> },
  { name: 'Last used', cell: (key) => <LastUse of={key} /> },
  {
    name: 'Actions',
    unnamed: true,
    end: true,
    cell: (key) => (
      <span class="row-do">
        <Button small icon="link" onClick={() => ask({ what: 'link', key })}>
          Sign-in link
        </Button>
        <Button small kind="danger" icon="trash" onClick={() => ask({ what: 'delete', key })}>
          Delete key
        </Button>
      </span>
    ),
  },
];

function LastUse({ of: key }: { readonly of: KeyView }) {
  const isUtc = utc.value === 'on';
  const { words, within } = lastUsed(key, useNow(), isUtc);
  if (within === null) return <>{words}</>;
  const hour = `between ${dayAndTime(within.from, isUtc)} and ${dayAndTime(within.until, isUtc)}`;
  return <span title={hour}>{words}</span>;
}

const NoKeys = () => (
  <Empty
    title="No keys but the first"
    sentence="Each program and each person has a key of its own, with no more than it needs. The first admin key is not listed."
  />
);
