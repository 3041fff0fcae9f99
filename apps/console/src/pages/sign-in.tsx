import { SignInForm } from '../app/sign-in-form.js';
import { safePath } from '../app/sign-in-path.js';
import { navigate, place } from '../app/router.js';
import { PageHead } from '../parts/page-head.js';

/** Signs in with a key, and leads back to where it was asked for. */
export default function Page() {
  const to = place.value.query.get('to');
  return (
    <div class="page door">
      <PageHead title="Sign in" />
      <p class="lead">With a key of this service. The first one was printed when it was started first.</p>
      <SignInForm onDone={(led) => navigate(safePath(led ?? to), { replace: true })} />
    </div>
  );
}
