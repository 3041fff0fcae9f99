import { Sprite } from '../parts/sprite.js';
import { Outlet } from './outlet.js';
import { Shell } from './shell.js';
import { SignedOutDialog } from './signed-out.js';
import { StatusLines } from './status-lines.js';

/** All of the page: the sprite, the rail, the page that the path names, and what is said. */
export function App() {
  return (
    <>
      <Sprite />
      <a class="skip" href="#main">
        Skip to content
      </a>
      <Shell>
        <Outlet />
      </Shell>
      <StatusLines />
      <SignedOutDialog />
    </>
  );
}
