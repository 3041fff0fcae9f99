import { useEffect, useRef, useState } from 'preact/hooks';
import { type ApiProblem, asProblem } from '../api/problem.js';
import { Link } from '../app/link.js';
import { navigate, place } from '../app/router.js';
import { signIn } from '../app/session.js';
import { safePath } from '../app/sign-in-path.js';
import { Button } from '../parts/controls.js';
import { PageHead } from '../parts/page-head.js';
import { Failure } from '../parts/region.js';

/** Redeems a link that signs in once. Nothing is sent before the button is pressed: previews of links must not use it up. */
export default function Page() {
  const token = useRef(place.value.hash);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const [isBusy, setBusy] = useState(false);
  // A second link pasted into the same tab changes the fragment alone.
  useEffect(() => {
    if (place.value.hash !== '') token.current = place.value.hash;
  }, [place.value.hash]);
  const open = async (): Promise<void> => {
    setBusy(true);
    setProblem(null);
    navigate('/console/welcome', { replace: true });
    try {
      const to = await signIn({ link: token.current });
      navigate(safePath(to), { replace: true });
    } catch (error) {
      setProblem(asProblem(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <div class="page door">
      <PageHead title="Welcome to Annals" />
      {token.current === '' ? (
        <p class="lead">
          This address lacks its token, which stands behind a <code>#</code>. Take the whole link, or{' '}
          <Link href="/console/sign-in">sign in with a key</Link>.
        </p>
      ) : (
        <>
          <p class="lead">
            This link signs this browser in at <b>{window.location.host}</b>. It works once, so it is used
            only when you press the button.
          </p>
          {problem !== null && <Failure problem={refusal(problem)} />}
          <div class="do">
            <Button kind="pri" disabled={isBusy} onClick={() => void open()}>
              Open the console
            </Button>
            {problem !== null && <Link href="/console/sign-in">Sign in with a key</Link>}
          </div>
        </>
      )}
    </div>
  );
}

const refusal = (problem: ApiProblem): ApiProblem =>
  problem.status === 401
    ? Object.assign(problem, { title: 'This link does not work any more: it was used, or its time is over.' })
    : problem;
