-- Roles stay: another database of the cluster may use them.
drop schema memhouse cascade;
