import { Button, Switch } from '../parts/controls.js';
import { Dialog } from '../parts/dialog.js';
import { singleKeys } from './preferences.js';

type Keys = readonly (readonly [keys: readonly string[], what: string])[];

const TABLE: readonly (readonly [where: string, keys: Keys])[] = [
  [
    'Everywhere',
    [
      [['g c'], 'Chat'],
      [['g s'], 'Sessions'],
      [['g a'], 'Approvals'],
      [['g r'], 'Runs'],
      [['g d'], 'Deliveries'],
      [['g u'], 'Usage'],
      [['/'], 'Find'],
      [['Esc'], 'Close, leave the field'],
      [['?'], 'This list'],
    ],
  ],
  [
    'Session',
    [
      [['j', 'k'], 'Next, previous row'],
      [['←', '→'], 'Event, on the slider'],
      [['PgUp', 'PgDn'], '100 events, on the slider'],
      [['Home', 'End'], 'First, last event'],
      [['[', ']'], 'Turn'],
      [['J', 'K'], 'Run'],
      [['e', 'E'], 'Next, previous error'],
      [['n', 'N'], 'Next, previous match'],
      [['#'], 'Event number'],
      [['Space'], 'Play'],
      [['0'], 'Live'],
      [['b'], 'Blocks or every event'],
      [['1', '2', '3', '4'], 'Tabs of the state'],
      [['f'], 'Fork'],
      [['v'], 'Verification'],
      [['c'], 'Copy link'],
    ],
  ],
  [
    'Chat',
    [
      [['Enter'], 'Send'],
      [['Shift+Enter'], 'New line'],
      [['↑'], 'Last message, in an empty field'],
      [['Esc'], 'To Cancel run'],
    ],
  ],
  [
    'Approvals',
    [
      [['j', 'k'], 'Next, previous'],
      [['a', 'd'], 'To Approve, to Deny'],
    ],
  ],
  ['Compare runs', [[['n', 'p'], 'Next, previous difference']]],
];

/** The list of keys, and the switch that turns single ones off. */
export function ShortcutsDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" wide onClose={onClose}>
      <Switch
        label="Single-key shortcuts"
        on={singleKeys.value === 'on'}
        onChange={(on) => (singleKeys.value = on ? 'on' : 'off')}
      />
      <div class="keys">
        {TABLE.map(([where, keys]) => (
          <section key={where}>
            <h3>{where}</h3>
            <dl>
              {keys.map(([names, what]) => (
                <div key={what}>
                  <dt>
                    {names.map((name) => (
                      <kbd key={name}>{name}</kbd>
                    ))}
                  </dt>
                  <dd>{what}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <div class="do end">
        <Button onClick={onClose}>Close</Button>
      </div>
    </Dialog>
  );
}
