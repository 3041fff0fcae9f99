import type { ComponentType } from 'preact';
import { Bdi } from '../conversation/bdi.js';
import { useEffect, useState } from 'preact/hooks';
import type { Scope } from '../api/types.js';
import { Button } from '../parts/controls.js';
import { PageHead } from '../parts/page-head.js';
import { Bars, Failure } from '../parts/region.js';
import { asProblem, type ApiProblem } from '../api/problem.js';
import { Home } from './home.js';
import { arrivals, navigate, place } from './router.js';
import { type Found, type PageProps, type Route, routeOf } from './routes.js';
import { auth, may, readAuth, signInState } from './session.js';
import { signInPath } from './sign-in-path.js';

/** The page that the path names, or why it is not there. */
export function Outlet() {
  const { path } = place.value;
  const found = routeOf(path);
  const state = signInState.value;
  if (found?.route.isOpen) return <Loaded found={found} />;
  if (state === 'asking') return <Asking />;
  // Signed out under an open page: it stays as it is, under the dialog.
  if (state === 'none') return <ToSignIn />;
  if (path === '/console' || path === '/console/') return <Home />;
  if (found === null) return <NoSuchPage />;
  const missing = missingScopes(found.route);
  return missing === null ? <Loaded found={found} /> : <NoScope missing={missing} />;
}

/** null: the key may. */
function missingScopes({ scopes }: Route): readonly Scope[] | null {
  return scopes === undefined || auth.value === null || may(...scopes) ? null : scopes;
}

/** The service is asked who is signed in; where it cannot be, again every few seconds. */
function Asking() {
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const ask = (): void => void readAuth().catch((error: unknown) => setProblem(asProblem(error)));
  useEffect(() => {
    const timer = setInterval(ask, 3000);
    return () => clearInterval(timer);
  }, []);
  return (
    <div class="page" aria-busy={problem === null}>
      {problem === null ? <Bars rows={4} /> : <Failure problem={problem} onRetry={ask} />}
    </div>
  );
}

function ToSignIn() {
  useEffect(() => navigate(signInPath(), { replace: true }), []);
  return <div class="page" />;
}

function NoSuchPage() {
  return (
    <div class="page">
      <PageHead title="There is no such page" />
      <p class="lead">
        Nothing of the console is at <code>{place.value.path}</code>. <a href="/console">Go to the start</a>
      </p>
    </div>
  );
}

function NoScope({ missing }: { readonly missing: readonly Scope[] }) {
  return (
    <div class="page">
      <PageHead title="This key may not see that" />
      <p class="lead">
        This page needs a key with the scope {missing.map((s) => `“${s}”`).join(' or ')}, and{' '}
        <Bdi text={auth.value?.key?.name ?? ''} /> lacks it.
      </p>
      <p>
        <Button icon="key" onClick={() => navigate(signInPath())}>
          Sign in with another key
        </Button>
      </p>
    </div>
  );
}

/** Owns which module is shown: the last one stays until the next has come. */
function Loaded({ found }: { readonly found: Found }) {
  const [shown, setShown] = useState<{
    readonly route: Route;
    readonly Page: ComponentType<PageProps>;
  } | null>(null);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const { route, params } = found;
  useEffect(() => {
    let isMeant = true;
    route
      .page()
      .then((module) => {
        if (!isMeant) return;
        setShown({ route, Page: module.default });
        setProblem(null);
      })
      .catch((error: unknown) => isMeant && setProblem(asProblem(error)));
    return () => {
      isMeant = false;
    };
  }, [route]);
  const isShown = shown?.route.page === route.page || shown?.route === route;
  useFocusOnArrival(isShown);
  if (problem !== null)
    return (
      <div class="page">
        <Failure problem={problem} onRetry={() => window.location.reload()} />
      </div>
    );
  if (shown === null || !isShown) return <div class="page" aria-busy="true" />;
  // Another session is another page; another event of it is not.
  const { at: _, ...identity } = params;
  return <shown.Page key={route.pattern + JSON.stringify(identity)} params={params} />;
}

/** After a navigation the focus is on the h1, and what was read before is scrolled away. */
function useFocusOnArrival(isShown: boolean): void {
  const arrival = arrivals.value;
  useEffect(() => {
    if (!isShown || arrival === 0) return;
    const frame = requestAnimationFrame(() => {
      window.scrollTo(0, 0);
      const main = document.getElementById('main');
      (main?.querySelector('h1') ?? main)?.focus({ preventScroll: true });
    });
    return () => cancelAnimationFrame(frame);
  }, [isShown, arrival]);
}
