import { render } from 'preact';
import { loadAhead } from './ahead.js';
import { App } from './app.js';
import './common.js';
import { readAuth } from './session.js';

const root = document.getElementById('app');
if (root !== null) {
  render(<App />, root);
  // Not reachable: the page says so and asks again by itself.
  void readAuth().catch(() => undefined);
  loadAhead();
}
