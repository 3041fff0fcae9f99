import { signInState } from './session.js';
import { announced, connection } from './status.js';

/** The two lines that are said aloud: how the stream is, and what happens. */
export function StatusLines() {
  const { sentence, count } = announced.value;
  const said = signInState.value === 'out' ? 'Signed out' : connection.value;
  return (
    <>
      <div role="status" aria-label="Connection" class={said === '' ? 'away' : 'connection'}>
        {said}
      </div>
      <div role="status" aria-label="Announcements" class="away">
        {/* A new node each time, so that the same sentence is said again. */}
        <span key={count}>{sentence}</span>
      </div>
    </>
  );
}
