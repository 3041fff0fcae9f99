import { useId, useState } from 'preact/hooks';
import { Bdi } from '../conversation/bdi.js';
import { api } from '../api/client.js';
import { type ApiProblem, asProblem } from '../api/problem.js';
import { announce } from '../app/status.js';
import { idempotencyKey } from '../lists/path.js';
import { Icon } from '../parts/icon.js';
import { Failure } from '../parts/region.js';

interface UploadProps {
  readonly datastore: string;
  readonly onAdded: () => void;
}

interface Refused {
  readonly name: string;
  readonly problem: ApiProblem;
}

/** Takes documents by drop and by button, and sends them one after the other. */
export function Upload({ datastore, onAdded }: UploadProps) {
  const id = useId();
  const [left, setLeft] = useState<readonly string[]>([]);
  const [refused, setRefused] = useState<readonly Refused[]>([]);
  const [isOver, setOver] = useState(false);
  const add = async (files: readonly File[]): Promise<void> => {
    setRefused([]);
    for (const [n, file] of files.entries()) {
      setLeft(files.slice(n).map(({ name }) => name));
      try {
        await send(datastore, file);
        announce(`${file.name} was added`);
      } catch (error) {
        setRefused((before) => [...before, { name: file.name, problem: asProblem(error) }]);
      }
      onAdded();
    }
    setLeft([]);
  };
  const isBusy = left.length > 0;
  return (
    <div
      class={isOver ? 'drop over' : 'drop'}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        if (!isBusy) void add([...(event.dataTransfer?.files ?? [])]);
      }}
    >
      <p>
        <Icon name="up" />
        <label for={id}>Add documents</label>
        <input
          id={id}
          type="file"
          multiple
          disabled={isBusy}
          onChange={(event) => {
            const files = [...(event.currentTarget.files ?? [])];
            event.currentTarget.value = '';
            void add(files);
          }}
        />
      </p>
      <p class="meta">{isBusy ? sendingWords(left) : 'or drop them here: PDF, text, Office files, images'}</p>
      {refused.map(({ name, problem }) => (
        <div key={name}>
          <Bdi text={name} />
          <Failure problem={problem} />
        </div>
      ))}
    </div>
  );
}

const sendingWords = (left: readonly string[]): string =>
  left.length === 1 ? `Sending ${left[0]}` : `Sending ${left[0]}, ${left.length - 1} more to go`;

async function send(datastore: string, file: File): Promise<void> {
  const form = new FormData();
  form.append('datastore_id', datastore);
  form.append('file', file);
  await api.post('/index-document', form, { headers: { 'Idempotency-Key': idempotencyKey() } });
}
