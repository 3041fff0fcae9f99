import { useState } from 'preact/hooks';
import { Bdi } from '../conversation/bdi.js';
import { api } from '../api/client.js';
import { type List, useList } from '../api/list.js';
import { usePolled } from '../api/polled.js';
import { Link } from '../app/link.js';
import { navigate } from '../app/router.js';
import type { PageProps } from '../app/routes.js';
import type { DatastoreView, DocumentView } from '../datastores/datastore.js';
import { DocumentSearch } from '../datastores/search.js';
import { Upload } from '../datastores/upload.js';
import { may } from '../lists/may.js';
import { segment } from '../lists/path.js';
import { type Act, useAct } from '../lists/use-act.js';
import { Button, CopyCurl } from '../parts/controls.js';
import { Dialog } from '../parts/dialog.js';
import { DialogForm } from '../parts/form.js';
import { size } from '../parts/format.js';
import { Missing, isMissing } from '../parts/missing.js';
import { PageHead } from '../parts/page-head.js';
import { Empty, Failure, LoadMore, Region } from '../parts/region.js';
import { StatusWord } from '../parts/status.js';
import { type Column, Table } from '../parts/table.js';
import { Age, Count, Said, Time } from '../parts/values.js';

/** One datastore: its documents, and what a search finds in them. */
export default function Page({ params }: PageProps) {
  const id = params['datastore'] ?? '';
  const path = `/datastores/${segment(id)}`;
  const polled = usePolled<DatastoreView>(path);
  const [isDeleting, setDeleting] = useState(false);
  const datastore = polled.data;
  return (
    <div class="page">
      <PageHead
        title={datastore?.name ?? 'Datastore'}
        crumb={<Link href="/console/datastores">Datastores</Link>}
        actions={
          <>
            <CopyCurl call={{ path: `${path}/documents` }} small={false} />
            {datastore !== null && may('datastores') && (
              <Button kind="danger" icon="trash" onClick={() => setDeleting(true)}>
                Delete datastore
              </Button>
            )}
          </>
        }
        facts={datastore !== null && <Facts of={datastore} />}
      >
        {datastore === null ? undefined : <Said text={datastore.name} />}
      </PageHead>
      {isMissing(polled) && <Missing />}
      <Region name="Datastore" polled={polled}>
        {datastore?.type === 'documents' && <Documents datastore={id} />}
        {datastore?.type === 'database' && (
          <Empty
            title="A database elsewhere"
            sentence={
              <>
                Runs that name it in <code>datastores</code> ask it with queries; nothing of it is kept here.
              </>
            }
          />
        )}
      </Region>
      {isDeleting && datastore !== null && (
        <DeleteDatastore of={datastore} onClose={() => setDeleting(false)} />
      )}
    </div>
  );
}

const Facts = ({ of }: { readonly of: DatastoreView }) => (
  <>
    <span>{of.type === 'documents' ? 'Documents' : 'Database'}</span>
    <Said text={of.datastore_id} class="mono" />
    <span>
      created <Time at={of.created_at} full />
    </span>
  </>
);

function Documents({ datastore }: { readonly datastore: string }) {
  const list = useList<DocumentView>(`/datastores/${segment(datastore)}/documents`, { everyMs: 3000 });
  const act = useAct();
  return (
    <>
      {may('datastores') && <Upload datastore={datastore} onAdded={list.refresh} />}
      {act.problem !== null && <Failure problem={act.problem} />}
      <DocumentTable list={list} act={act} />
      {may('datastores') && <DocumentSearch datastore={datastore} />}
    </>
  );
}

const NoDocuments = () => (
  <Empty
    title="No documents"
    sentence="Documents that are added are read, cut into passages, and found by what they say."
  />
);

const DocumentTable = ({ list, act }: { readonly list: List<DocumentView>; readonly act: Act }) => (
  <Region name="Documents" polled={list} empty={list.data?.length === 0 ? <NoDocuments /> : null}>
    <Table
      name="Documents"
      columns={[...COLUMNS, ...(may('datastores') ? [deleteColumn(act, list.refresh)] : [])]}
      rows={list.data ?? []}
      keyOf={({ document_id: id }) => id}
    />
    <LoadMore more={list.loadMore} loading={list.loading} />
  </Region>
);

const COLUMNS: readonly Column<DocumentView>[] = [
  { name: 'Status', cell: ({ status }) => <StatusWord status={status} /> },
  {
    name: 'Document',
    grow: true,
    cell: ({ filename, error, warnings }) => (
      <>
        <Said text={filename} />
        {error !== null && (
          <p class="meta bad-text">
            <Bdi text={error.message} />
          </p>
        )}
        {warnings.slice(0, 3).map(({ detail, page }) => (
          <p key={detail} class="meta">
            {page !== undefined && `page ${page}: `}
            <Bdi text={detail} />
          </p>
        ))}
      </>
    ),
  },
  { name: 'Pages', end: true, cell: ({ pages }) => <Count of={pages} /> },
  { name: 'Size', end: true, cell: ({ bytes }) => size(bytes) },
  { name: 'Added', cell: ({ created_at: at }) => <Age at={at} /> },
];

function deleteColumn(act: Act, refresh: () => void): Column<DocumentView> {
  const remove = ({ document_id: id, filename }: DocumentView): void =>
    act.run(id, async () => {
      await api.delete(`/documents/${segment(id)}`);
      refresh();
      return `${filename} was deleted`;
    });
  return {
    name: 'Delete',
    unnamed: true,
    end: true,
    cell: (document) => (
      <Button small kind="danger" icon="trash" disabled={act.busy !== null} onClick={() => remove(document)}>
        Delete
      </Button>
    ),
  };
}

function DeleteDatastore({ of, onClose }: { readonly of: DatastoreView; readonly onClose: () => void }) {
  const act = useAct();
  const remove = (): void =>
    act.run('delete', async () => {
      await api.delete(`/datastores/${segment(of.datastore_id)}`);
      navigate('/console/datastores');
      return 'Datastore deleted';
    });
  return (
    <Dialog title="Delete datastore" onClose={onClose}>
      <DialogForm
        submit="Delete datastore"
        danger
        problem={act.problem}
        disabled={act.busy !== null}
        onSubmit={remove}
        onClose={onClose}
      >
        <p class="lead">
          <Bdi text={of.name} /> goes with all of its files and their text, for good.
        </p>
      </DialogForm>
    </Dialog>
  );
}
