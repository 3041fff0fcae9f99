import { announced, connection } from './status.js';

/** The two lines that are said aloud: how the stream is, and what happens. */
export function StatusLines() {
  const { sentence, count } = announced.value;
  return (
    <>
      <div role="status" aria-label="Connection" class={connection.value === '' ? 'away' : 'connection'}>
        {connection.value}
      </div>
      <div role="status" aria-label="Announcements" class="away">
        {/* A new node each time, so that the same sentence is said again. */}
        <span key={count}>{sentence}</span>
      </div>
    </>
  );
}
