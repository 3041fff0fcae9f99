import { useState } from 'preact/hooks';
import { useList } from '../api/list.js';
import { Link } from '../app/link.js';
import { navigate } from '../app/router.js';
import { type DatastoreView, datastorePath } from '../datastores/datastore.js';
import { NewDatastore } from '../datastores/new-datastore.js';
import { may } from '../lists/may.js';
import { Button, CopyCurl, Curl } from '../parts/controls.js';
import { PageHead } from '../parts/page-head.js';
import { Empty, LoadMore, Region } from '../parts/region.js';
import { type Column, Table } from '../parts/table.js';
import { Age, Said } from '../parts/values.js';

const COLUMNS: readonly Column<DatastoreView>[] = [
  {
    name: 'Name',
    grow: true,
    cell: ({ datastore_id: id, name }) => (
      <Link href={datastorePath(id)}>
        <Said text={name} />
      </Link>
    ),
  },
  { name: 'Type', cell: ({ type }) => (type === 'documents' ? 'Documents' : 'Database') },
  { name: 'Id', class: 'tight', cell: ({ datastore_id: id }) => <Said text={id} class="mono" /> },
  { name: 'Created', cell: ({ created_at: at }) => <Age at={at} /> },
];

/** What agents can look things up in. */
export default function Page() {
  const list = useList<DatastoreView>('/datastores');
  const [isAsking, setAsking] = useState(false);
  return (
    <div class="page">
      <PageHead
        title="Datastores"
        actions={
          <>
            <CopyCurl call={{ path: '/datastores' }} />
            {may('datastores') && (
              <Button kind="pri" icon="plus" onClick={() => setAsking(true)}>
                New datastore
              </Button>
            )}
          </>
        }
      />
      <Region name="Datastores" polled={list} empty={list.data?.length === 0 ? <NoDatastores /> : null}>
        <Table
          name="Datastores"
          columns={COLUMNS}
          rows={list.data ?? []}
          keyOf={({ datastore_id: id }) => id}
        />
        <LoadMore more={list.loadMore} loading={list.loading} />
      </Region>
      {isAsking && (
        <NewDatastore
          onClose={() => setAsking(false)}
          onCreated={({ datastore_id: id }) => navigate(datastorePath(id))}
        />
      )}
    </div>
  );
}

const NoDatastores = () => (
  <Empty title="No datastores" sentence="Documents and databases that runs can look things up in stand here.">
    <Curl
      call={{ method: 'POST', path: '/create-datastore', body: { name: 'manuals', type: 'documents' } }}
    />
  </Empty>
);
