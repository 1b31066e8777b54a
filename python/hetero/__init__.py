"""hetero: training steps of JAX on whatever mix of devices there is."""
