/** What a page of a service cannot do, and what can. */
export const CanLie = () => (
  <p class="meta">
    A page that a service gives you can lie for it. Who does not trust this one verifies with{' '}
    <a href="/console/verify.html" download="verify.html">
      verify.html
    </a>{' '}
    from elsewhere, a file that works without a network, or with <code>annals verify</code>.
  </p>
);
