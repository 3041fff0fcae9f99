import { Dialog } from '../parts/dialog.js';
import { SignInForm } from './sign-in-form.js';
import { signInState } from './session.js';

/** Over the page, which stays as it is: after a sign-in it goes on from where it stood. */
export function SignedOutDialog() {
  if (signInState.value !== 'out') return null;
  return (
    <Dialog title="Signed out" stays onClose={() => undefined}>
      <p>The sign-in has ended. What is on the page stays; sign in again and it goes on.</p>
      <SignInForm onDone={() => undefined} />
    </Dialog>
  );
}
