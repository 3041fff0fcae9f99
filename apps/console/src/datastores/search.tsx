import { useState } from 'preact/hooks';
import { api } from '../api/client.js';
import { segment } from '../lists/path.js';
import { useAct } from '../lists/use-act.js';
import { Button, CopyCurl } from '../parts/controls.js';
import { Empty, Failure } from '../parts/region.js';
import { Said } from '../parts/values.js';
import type { PassageView } from './datastore.js';

interface Found {
  readonly query: string;
  readonly passages: readonly PassageView[];
}

/** Looks in a datastore as an agent does. */
export function DocumentSearch({ datastore }: { readonly datastore: string }) {
  const act = useAct();
  const [query, setQuery] = useState('');
  const [found, setFound] = useState<Found | null>(null);
  const path = `/datastores/${segment(datastore)}/search`;
  const search = (): void =>
    act.run('search', async () => {
      const { items } = await api.post<{ readonly items: readonly PassageView[] }>(path, { query });
      setFound({ query, passages: items });
      return items.length === 1 ? '1 passage' : `${items.length} passages`;
    });
  return (
    <section class="section">
      <h2>Search</h2>
      <form
        class="filters"
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          if (query.trim() !== '') search();
        }}
      >
        <input
          type="search"
          aria-label="Search documents"
          placeholder="What an agent would look for"
          size={32}
          value={query}
          onInput={(event) => setQuery(event.currentTarget.value)}
        />
        <Button type="submit" icon="find" disabled={act.busy !== null}>
          Search
        </Button>
        {found !== null && <CopyCurl call={{ method: 'POST', path, body: { query: found.query } }} />}
      </form>
      {act.problem !== null && <Failure problem={act.problem} />}
      {found !== null && <Passages found={found} />}
    </section>
  );
}

function Passages({ found: { passages } }: { readonly found: Found }) {
  if (passages.length === 0)
    return (
      <Empty title="No passages" sentence="Nothing in the documents has these words, or words like them." />
    );
  return (
    <ol class="passages" aria-label="Passages">
      {passages.map((passage, n) => (
        <li key={n} class="card">
          <p class="by">
            <Said text={passage.filename} />
            {passage.page !== null && <span>page {passage.page}</span>}
            <span class="meta">score {passage.score.toFixed(3)}</span>
          </p>
          <p class="text">
            <Said text={passage.text} />
          </p>
        </li>
      ))}
    </ol>
  );
}
