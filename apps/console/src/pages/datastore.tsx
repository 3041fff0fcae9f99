/** Datastore */
export default function Page() {
  return <h1 tabIndex={-1}>Datastore</h1>;
}
