/** Sessions */
export default function Page() {
  return <h1 tabIndex={-1}>Sessions</h1>;
}
