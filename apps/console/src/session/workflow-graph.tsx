import type { WorkflowState } from '#workflow';
import { StatusWord } from '../parts/status.js';
import { Bdi } from '../conversation/bdi.js';
import { visible } from '../conversation/visible.js';
import { type PlacedStep, placeSteps } from './workflow-layout.js';

const [WIDTH, HEIGHT, GAP_X, GAP_Y] = [150, 44, 32, 10];
const left = ({ column }: PlacedStep): number => column * (WIDTH + GAP_X);
const top = ({ row }: PlacedStep): number => row * (HEIGHT + GAP_Y);

/** The steps of a workflow as they stood, each behind those that it needs. */
export function WorkflowGraph({ workflow }: { readonly workflow: WorkflowState }) {
  const { steps } = workflow.workflow;
  const placed = new Map(placeSteps(steps).map((step) => [step.id, step]));
  const all = [...placed.values()];
  const width = Math.max(...all.map(left)) + WIDTH;
  const height = Math.max(...all.map(top)) + HEIGHT;
  return (
    <div
      class="workflow"
      tabIndex={0}
      role="group"
      aria-label={visible(`Steps of ${workflow.workflow.name}`)}
    >
      <div class="graph" style={{ width: `${width}px`, height: `${height}px` }}>
        <svg width={width} height={height} aria-hidden="true">
          {steps.flatMap(({ id, depends_on }) =>
            depends_on.map((before) => {
              const [from, to] = [placed.get(before), placed.get(id)];
              return from && to ? <path key={`${before} ${id}`} d={edge(from, to)} /> : null;
            }),
          )}
        </svg>
        <ol>
          {steps.map(({ id, name }) => {
            const place = placed.get(id);
            const state = workflow.step(id);
            const attempt = 'attempt' in state && state.attempt > 1 ? `, attempt ${state.attempt}` : '';
            return (
              <li
                key={id}
                style={
                  place && {
                    left: `${left(place)}px`,
                    top: `${top(place)}px`,
                    width: `${WIDTH}px`,
                    height: `${HEIGHT}px`,
                  }
                }
              >
                <Bdi text={name} class="step-name" />
                <StatusWord status={state.status} />
                <span class="meta">{attempt}</span>
              </li>
            );
          })}
        </ol>
      </div>
    </div>
  );
}

function edge(from: PlacedStep, to: PlacedStep): string {
  const [x, y] = [left(from) + WIDTH, top(from) + HEIGHT / 2];
  const [endX, endY] = [left(to), top(to) + HEIGHT / 2];
  const middle = (x + endX) / 2;
  return `M${x} ${y}C${middle} ${y} ${middle} ${endY} ${endX} ${endY}`;
}
