/** Datastores */
export default function Page() {
  return <h1 tabIndex={-1}>Datastores</h1>;
}
