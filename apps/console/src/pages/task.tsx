/** Task */
export default function Page() {
  return <h1 tabIndex={-1}>Task</h1>;
}
