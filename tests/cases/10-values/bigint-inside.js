return { n: [10n] };
