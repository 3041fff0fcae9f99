import { useEffect, useRef } from 'preact/hooks';
import { signInState } from '../app/session.js';
import { SignInForm } from '../app/sign-in-form.js';
import { safePath } from '../app/sign-in-path.js';
import { navigate, place } from '../app/router.js';
import { PageHead } from '../parts/page-head.js';

/** Signs in with a key, and leads back to where it was asked for. */
export default function Page() {
  const to = place.value.query.get('to');
  const before = useRef(signInState.value);
  const state = signInState.value;
  const go = (): void => navigate(safePath(to), { replace: true });
  // Signed in by another tab.
  useEffect(() => {
    if (state === 'in' && before.current !== 'in' && before.current !== 'asking') go();
    before.current = state;
  }, [state]);
  return (
    <div class="page door">
      <PageHead title="Sign in" />
      <p class="lead">With a key of this service. The first one was printed when it was started first.</p>
      <SignInForm onDone={go} />
    </div>
  );
}
